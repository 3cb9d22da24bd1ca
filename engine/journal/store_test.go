package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentstudio/engine"
)

// TestNothingSaid: a session touches the disk with its first message, and not before.
func TestNothingSaid(t *testing.T) {
	root := filepath.Join(t.TempDir(), "state")
	d := newDesk(t, root, Options{})
	s := d.mustOpen("")
	if _, err := s.Do(t.Context(), engine.Rename{Title: "A title", By: tester}); err != nil {
		t.Fatal(err)
	}
	d.quit()
	if left, err := os.ReadDir(d.store.dir); err != nil || len(left) != 0 {
		t.Fatalf("a session in which nothing was said has left %v, %v", left, err)
	}

	s = d.mustOpen("")
	if _, err := s.Do(t.Context(), engine.Rename{Title: "A title", By: tester}); err != nil {
		t.Fatal(err)
	}
	events := d.talk(s, "hello")
	rec := d.record(s.ID())
	for i, e := range events { // what was shown before is written then
		if encoded(t, e) != encoded(t, rec.events[i]) {
			t.Errorf("event %d is not in the journal as it was shown", i+1)
		}
	}
}

// A session whose program was killed before it wrote an event has not been used last.
func TestNewestHasAnEvent(t *testing.T) {
	root := t.TempDir()
	d := newDesk(t, root, Options{})
	d.quit()
	empty := filepath.Join(root, "sessions", "ses_empty")
	if err := errors.Join(os.MkdirAll(empty, 0o700), os.WriteFile(filepath.Join(empty, "events.jsonl"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if id, err := d.store.Newest(t.Context()); engine.CodeOf(err) != engine.SessionNotFound {
		t.Errorf("%q, %v", id, err)
	}
	d = newDesk(t, root, Options{}, reader())
	s := d.mustOpen("")
	d.talk(s, "hello")
	d.quit()
	if id, err := d.store.Newest(t.Context()); err != nil || id != s.ID() {
		t.Errorf("%q, %v; want %q", id, err, s.ID())
	}
}

func TestRightsAndMeta(t *testing.T) {
	root := filepath.Join(t.TempDir(), "state")
	d := newDesk(t, root, Options{})
	s := d.mustOpen("")
	d.talk(s, "Hello there\x1b[2J, how\nare you?")
	meta := func() string {
		b, err := os.ReadFile(filepath.Join(d.store.dir, string(s.ID()), metaName))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	want := fmt.Sprintf(`{"formatVersion":1,"id":"%s","title":"Hello there [2J, how are you?","workspace":"~/work"}`+"\n", s.ID())
	if meta() != want {
		t.Errorf("session.json is %swant %s", meta(), want)
	}
	if _, err := s.Do(t.Context(), engine.Rename{Title: "Greetings", By: tester}); err != nil {
		t.Fatal(err)
	}
	d.quit()
	if !strings.Contains(meta(), `"title":"Greetings"`) {
		t.Errorf("after renaming session.json is %s", meta())
	}
	_ = os.Remove(filepath.Join(d.store.dir, string(s.ID()), metaName))
	d.mustOpen(s.ID())
	d.quit()
	if !strings.Contains(meta(), `"title":"Greetings"`) {
		t.Errorf("made anew, session.json is %s", meta())
	}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		i, err := e.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[e.IsDir()]; err == nil && i.Mode().Perm() != want {
			t.Errorf("%s has the rights %o", path, i.Mode().Perm())
		}
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s was left behind", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNewerFormat(t *testing.T) {
	rec := short(t)
	s := newSite(t, rec)
	s.open(rec.data, "whole")
	if err := os.WriteFile(filepath.Join(s.dir, metaName), []byte(`{"formatVersion":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := s.store.Open(t.Context(), rec.id)
	if engine.CodeOf(err) != engine.JournalNewer || !strings.Contains(engine.MessageOf(err), "format 2") {
		t.Fatalf("open: %v", err)
	}
	if got := replay(t, j, 0); len(got) != len(rec.events) {
		t.Errorf("%d events are shown", len(got))
	}
	if _, err := s.store.Repair(rec.id, true); engine.CodeOf(err) != engine.JournalNewer {
		t.Errorf("repair: %v", err)
	}
	if l, _ := s.store.List(t.Context()); l[0].State != "newer" || l[0].Reason == "" {
		t.Errorf("the list says %+v", l)
	}
	d := s.desk(t)
	if got := d.mustOpen(rec.id).ReadOnly(); engine.CodeOf(got) != engine.JournalNewer {
		t.Errorf("the session is open: %v", got)
	}
}

func TestUnusableState(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	roots := []string{file, filepath.Join(file, "below")}
	if locked := t.TempDir(); os.Chmod(locked, 0o500) == nil && os.WriteFile(filepath.Join(locked, "x"), nil, 0o600) != nil {
		roots = append(roots, locked)
	}
	for _, root := range roots {
		_, err := Open(root, Options{})
		if engine.CodeOf(err) != engine.StateUnusable || !strings.Contains(engine.MessageOf(err), "--no-save") || strings.Contains(engine.MessageOf(err), root) {
			t.Errorf("%s: %v", root, err)
		}
		st, err := Open(root, Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.Verify("ses_1"); engine.CodeOf(err) != engine.SessionNotFound {
			t.Errorf("verify: %v", err)
		}
	}
	st, _ := Open(filepath.Join(t.TempDir(), "none"), Options{ReadOnly: true})
	if l, err := st.List(t.Context()); err != nil || len(l) != 0 {
		t.Errorf("where nothing was saved the list says %v, %v", l, err)
	}
}

func TestSameIDs(t *testing.T) {
	rec := short(t)
	s := newSite(t, rec)
	s.open(rec.data, "whole")
	if _, err := s.store.Create(t.Context(), rec.id); engine.CodeOf(err) != engine.StateUnusable || !strings.Contains(engine.MessageOf(err), "--seed") {
		t.Errorf("a second session of the same id: %v", err)
	}
}

// TestManySessions lists fifty sessions among broken, empty and foreign entries.
func TestManySessions(t *testing.T) {
	d := newDesk(t, quick(t), Options{}, reader())
	var rec recorded
	for range 50 {
		s := d.mustOpen("")
		d.talk(s, "hello")
		rec = d.record(s.ID())
	}
	put := func(name, content string) {
		t.Helper()
		path := filepath.Join(d.store.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("ses_garbage/events.jsonl", "\x00\xff garbage\n{\"half\":")
	put("ses_empty/events.jsonl", "")
	put("ses_foreign/events.jsonl", `{"kind":"other-program","msg":"hi"}`+"\n")
	put("notes.txt", "my notes")
	put("ses_file", "no folder")
	put("ses_nothing/keep.txt", "x")
	put("other/events.jsonl", "x")
	put("ses_dir/events.jsonl/keep.txt", "x")
	if err := os.Symlink(filepath.Join(d.store.dir, string(rec.id)), filepath.Join(d.store.dir, "ses_link")); err != nil {
		t.Log(err)
	}
	odd := rec.events[0]
	odd.Session = "ses_odd"
	odd.Payload = engine.SessionRenamed{Title: "a\x1b[2J" + strings.Repeat("t", 10_000), By: tester}
	line, _, err := appendLine(nil, odd, 0)
	if err != nil {
		t.Fatal(err)
	}
	put("ses_odd/events.jsonl", string(line))

	before := tree(t, d.store.dir)
	began := time.Now()
	list, err := d.store.List(t.Context())
	t.Logf("%d sessions listed in %v", len(list), time.Since(began))
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]int{}
	for _, l := range list {
		states[l.State]++
		if l.State == "damaged" && l.Reason == "" || len([]rune(l.Title)) > 120 || strings.ContainsAny(l.Title, "\x1b\n") {
			t.Errorf("%+v", l)
		}
		if l.ID == "ses_link" {
			t.Error("a link is listed")
		}
	}
	if states["ok"] != 51 || states["damaged"] != 3 || len(list) != 54 {
		t.Errorf("the states are %v", states)
	}
	if after := tree(t, d.store.dir); after != before {
		t.Error("listing has changed something")
	}
	if list[0].ID != rec.id {
		t.Errorf("the newest is %s, not %s", list[0].ID, rec.id)
	}
}

func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		i, ierr := e.Info()
		if err != nil || ierr != nil {
			t.Fatal(err, ierr)
		}
		content, _ := os.ReadFile(path)
		fmt.Fprintln(&b, path, i.Size(), i.ModTime(), string(content))
		return nil
	})
	return b.String()
}

func TestDelete(t *testing.T) {
	rec := short(t)
	s := newSite(t, rec)
	s.open(rec.data, "whole")
	link := filepath.Join(s.store.dir, "ses_link")
	if err := os.Symlink(s.dir, link); err != nil {
		t.Skip(err)
	}
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, eventsName), rec.data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(s.store.dir, "ses_out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(s.dir, "artifacts")); err != nil {
		t.Fatal(err)
	}
	for _, id := range []engine.SessionID{"ses_link", "ses_out", "ses_none", "..", "ses_/../x", "", "ses_1/..", "."} {
		if err := s.store.Delete(id); engine.CodeOf(err) != engine.SessionNotFound {
			t.Errorf("delete %q: %v", id, err)
		}
	}
	j, err := s.store.Open(t.Context(), rec.id)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.store.Delete(rec.id); engine.CodeOf(err) != engine.SessionLocked {
		t.Errorf("delete of an open session: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.store.Delete(rec.id); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(s.dir); err == nil {
		t.Error("the folder is still there")
	}
	if _, err := os.Stat(filepath.Join(outside, eventsName)); err != nil {
		t.Error("deleting went through a link")
	}
}

// TestSyncTimer: what is written without a sync is synced within 200 ms, and no timer outlives the
// journal.
func TestSyncTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		drive := &disk{}
		st, err := Open(quick(t), Options{OpenFile: drive.open})
		if err != nil {
			t.Fatal(err)
		}
		j, err := st.Create(t.Context(), "ses_01JDZ3V0E6W1N0D3PR0DUCT10N")
		if err != nil {
			t.Fatal(err)
		}
		syncs := func() (n int) {
			drive.mu.Lock()
			defer drive.mu.Unlock()
			for _, s := range drive.steps {
				if s.what == "sync" {
					n++
				}
			}
			return n
		}
		put := func(seq engine.Seq) {
			t.Helper()
			if err := j.Append([]engine.Event{benchEvent(seq)}); err != nil {
				t.Fatal(err)
			}
		}
		put(1)
		if err := j.Sync(); err != nil || syncs() != 1 {
			t.Fatalf("the first sync: %v, %d syncs", err, syncs())
		}
		put(2)
		put(3)
		time.Sleep(syncWithin - time.Millisecond) // of the bubble's clock
		synctest.Wait()
		if syncs() != 1 {
			t.Errorf("%d syncs before it is time", syncs())
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if syncs() != 2 {
			t.Errorf("%d syncs when it was time", syncs())
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if syncs() != 2 {
			t.Errorf("%d syncs with nothing to sync", syncs())
		}
		put(4)
		if err := j.Close(); err != nil || syncs() != 3 {
			t.Errorf("closing: %v, %d syncs", err, syncs())
		}
		if err := j.Close(); err != nil {
			t.Errorf("closing again: %v", err)
		}
		if err := j.Append([]engine.Event{benchEvent(5)}); engine.CodeOf(err) != engine.SessionClosedCode {
			t.Errorf("append after closing: %v", err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if syncs() != 3 {
			t.Errorf("%d syncs after closing", syncs())
		}
		if got := replay(t, j, 0); len(got) != 4 {
			t.Errorf("%d events are read after closing", len(got))
		}
	})
}

// TestCloseBesideTimer closes while the timer's sync is under way, again and again.
func TestCloseBesideTimer(t *testing.T) {
	for n := range 50 {
		synctest.Test(t, func(t *testing.T) {
			closed, bad := false, false
			drive := &disk{}
			st, err := Open(quick(t), Options{OpenFile: func(path string, flag int) (File, error) {
				f, err := drive.open(path, flag)
				return &closing{f, &closed, &bad}, err
			}})
			if err != nil {
				t.Fatal(err)
			}
			j, err := st.Create(t.Context(), "ses_01JDZ3V0E6W1N0D3PR0DUCT10N")
			if err != nil {
				t.Fatal(err)
			}
			_ = j.Append([]engine.Event{benchEvent(1)})
			_ = j.Sync()
			_ = j.Append([]engine.Event{benchEvent(2)})
			time.Sleep(syncWithin - time.Duration(n%2)) // of the bubble's clock
			if err := j.Close(); err != nil || bad {
				t.Errorf("closing: %v, a closed file was touched: %v", err, bad)
			}
		})
	}
}

// closing tells whether a file is used after it was closed. Without a lock: the race detector is
// to see it as well.
type closing struct {
	File
	closed, bad *bool
}

func (c *closing) Sync() error {
	*c.bad = *c.bad || *c.closed
	return c.File.Sync()
}

func (c *closing) Close() error {
	*c.closed = true
	return c.File.Close()
}

func TestOptions(t *testing.T) {
	d := newDesk(t, t.TempDir(), Options{})
	s := d.mustOpen("")
	d.talk(s, "hello")
	if _, err := s.Read(t.Context(), engine.Ref{Artifact: "none"}); engine.CodeOf(err) != engine.RefNotFound {
		t.Errorf("read: %v", err)
	}
	d.quit()
	j, err := d.store.ReadOnly(s.ID())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Read(t.Context(), "x"); engine.CodeOf(err) != engine.RefNotFound {
		t.Errorf("read: %v", err)
	}
	if _, err := j.WriteArtifact(t.Context(), "x", "", nil); engine.CodeOf(err) != engine.WriteFailed {
		t.Errorf("write: %v", err)
	}
	r, err := d.store.Verify(s.ID())
	b, _ := json.Marshal(r)
	if err != nil || !strings.Contains(string(b), `"damaged":[],"gaps":[]`) {
		t.Errorf("verify gives %s, %v", b, err)
	}
}
