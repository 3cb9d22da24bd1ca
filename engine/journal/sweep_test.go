package journal

import (
	"os"
	"path/filepath"
	"testing"

	"agentstudio/engine"
)

// What a killed process left half written is gone after the next opening; nothing else is.
func TestLeftoversAreSweptUnderTheLock(t *testing.T) {
	d := newDesk(t, t.TempDir(), Options{})
	s := d.mustOpen("")
	d.talk(s, "hello")
	id := s.ID()
	d.quit()
	dir := filepath.Join(d.store.dir, string(id))
	for _, name := range []string{artifactsName, attachmentsName} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	leave := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var gone, kept []string
	for _, name := range []string{".session.json-1", ".holder.json-22", ".events.jsonl-3", "artifacts/.report.md.44.tmp", "attachments/.att_1.png.5.tmp"} {
		gone = append(gone, leave(name))
	}
	for _, name := range []string{"notes.tmp", ".mine", "events.jsonl.torn", "artifacts/report.md", "attachments/att_1.png"} {
		kept = append(kept, leave(name))
	}
	j, err := d.store.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, path := range gone {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there", filepath.Base(path))
		}
	}
	for _, path := range kept {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
	if got := replay(t, j, 0); len(got) == 0 || got[0].Kind() != engine.KindOf(engine.SessionStarted{}) {
		t.Error("the journal is not what it was")
	}
}
