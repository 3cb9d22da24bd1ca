package journal

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/engine/scenario"
	"agentstudio/engine/tool"
	"agentstudio/engine/workspace"
	"agentstudio/fixtures"
)

// site is a store with one session whose journal is broken again and again.
type site struct {
	t     testing.TB
	store *Store
	rec   recorded
	dir   string
	path  string
}

func newSite(t testing.TB, rec recorded) *site {
	t.Helper()
	st, err := Open(quick(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(st.dir, string(rec.id))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return &site{t, st, rec, dir, filepath.Join(dir, eventsName)}
}

// seen is what became of a broken journal.
type seen struct {
	events int   // of the recorded ones
	holes  int   // events that a hole stands for
	torn   int64 // bytes
	err    error // of opening
}

// open writes data as the journal and opens it, holding it to what is true of any journal: events
// are the recorded ones or holes, all numbers are there, and opening again changes nothing more.
func (s *site) open(data []byte, what string) seen {
	s.t.Helper()
	_ = os.Remove(s.path + ".torn")
	if err := os.WriteFile(s.path, data, 0o600); err != nil {
		s.t.Fatal(err)
	}
	got := s.once(what)
	after, err := os.ReadFile(s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	if got.err != nil && !bytes.Equal(after, data) {
		s.t.Fatalf("%s: a journal that is only read was changed", what)
	}
	if torn, _ := os.ReadFile(s.path + ".torn"); int64(len(torn)) != got.torn || !bytes.HasSuffix(data, torn) {
		s.t.Fatalf("%s: %d torn bytes were told, %d kept", what, got.torn, len(torn))
	}
	again := s.once(what + ", again")
	twice, _ := os.ReadFile(s.path)
	if again.torn != 0 || again.events != got.events || again.holes != got.holes || !errors.Is(again.err, engine.CodeOf(got.err)) && got.err != nil || !bytes.Equal(twice, after) {
		s.t.Fatalf("%s: the second opening is no no-op: %+v, then %+v", what, got, again)
	}
	return got
}

func (s *site) once(what string) (got seen) {
	s.t.Helper()
	report, err := s.store.Verify(s.rec.id)
	if err != nil {
		s.t.Fatalf("%s: verify: %v", what, err)
	}
	listed := look(s.rec.id, s.dir)
	j, err := s.store.Open(s.t.Context(), s.rec.id)
	if got.err = err; j == nil || err != nil && !errors.Is(err, engine.JournalDamaged) {
		s.t.Fatalf("%s: open: %v", what, err)
	}
	got.torn = j.TornBytes()
	next := engine.Seq(1)
	for _, e := range replay(s.t, j, 0) {
		if d, ok := e.Payload.(engine.JournalDamage); ok {
			if d.From != next || d.To != e.Seq || d.From > d.To {
				s.t.Fatalf("%s: the hole %d to %d stands at %d", what, d.From, d.To, next)
			}
			got.holes += int(d.To - d.From + 1)
			next = e.Seq + 1
			continue
		}
		if e.Seq != next || int(e.Seq) > len(s.rec.events) || encoded(s.t, e) != encoded(s.t, s.rec.events[e.Seq-1]) {
			s.t.Fatalf("%s: event %d where %d belongs was never recorded like that", what, e.Seq, next)
		}
		got.events++
		next++
	}
	if err := j.Close(); err != nil {
		s.t.Fatalf("%s: close: %v", what, err)
	}
	if report.OK != (err == nil) || (listed.State == "damaged") != (err != nil) || report.Events != got.events {
		s.t.Fatalf("%s: open says %v, verify %+v, the list %+v", what, err, report, listed)
	}
	return got
}

// cut cuts the journal off at n: at most the last record may be lost.
func (s *site) cut(n int) {
	s.t.Helper()
	whole, newline := 0, true
	for size := 0; whole < len(s.rec.lines) && size+len(s.rec.lines[whole])-1 <= n; whole++ {
		newline = size+len(s.rec.lines[whole]) <= n
		size += len(s.rec.lines[whole])
	}
	got := s.open(s.rec.data[:n:n], "cut at "+itoa(n))
	if got.events != whole || got.holes != 0 || (got.err != nil) != (whole == 0) {
		s.t.Fatalf("cut at %d: %d whole records, but %+v", n, whole, got)
	}
	if after, _ := os.ReadFile(s.path); whole > 0 && !newline && len(after) != n+1 {
		s.t.Fatalf("cut at %d: only the newline was missing, and now there are %d bytes", n, len(after))
	}
}

// flip changes one byte: one record may be lost, and it shows.
func (s *site) flip(n int, to byte, open func([]byte, string) seen) {
	s.t.Helper()
	data := bytes.Clone(s.rec.data)
	data[n] = to
	line, last := bytes.Count(s.rec.data[:n], []byte("\n")), len(s.rec.lines)-1
	got := open(data, "byte "+itoa(n)+" changed to "+itoa(int(to)))
	total := len(s.rec.lines)
	want := seen{events: total - 1, holes: 1}
	switch {
	case s.rec.data[n] == '\n' && line == last: // one byte after the last record
		want = seen{events: total, torn: 1}
	case s.rec.data[n] == '\n': // a foreign byte between two records
		want = seen{events: total}
	case line == last:
		want = seen{events: total - 1, torn: int64(len(s.rec.lines[last]))}
	}
	if got.events != want.events || got.holes != want.holes || got.torn != want.torn || (got.err != nil) != (want.holes > 0) {
		s.t.Fatalf("byte %d of line %d changed from %q to %q: want %+v, got %+v", n, line+1, s.rec.data[n], to, want, got)
	}
}

// scan is open without a disk.
func (s *site) scan(data []byte, what string) (got seen) {
	s.t.Helper()
	sc := newScanner(bytes.NewReader(data), mark{seq: 1}, "")
	sc.decode = true
	for {
		f, err := sc.next()
		if err != nil {
			break
		}
		got.events++
		if f.gap != 0 {
			got.holes += int(f.seq - f.gap)
		}
		if encoded(s.t, f.event) != encoded(s.t, s.rec.events[f.seq-1]) {
			s.t.Fatalf("%s: event %d was never recorded like that", what, f.seq)
		}
	}
	if got.torn = int64(len(data)) - sc.at.offset; len(sc.damaged) > 0 {
		got.err = engine.JournalDamaged
	}
	return got
}

func TestEveryCut(t *testing.T) {
	s := newSite(t, short(t))
	cuts := 0
	for n := 0; n <= len(s.rec.data); n += everyPlace {
		s.cut(n)
		cuts++
	}
	t.Logf("%d cuts of %d records", cuts, len(s.rec.lines))
}

func TestEveryFlip(t *testing.T) {
	s := newSite(t, short(t))
	flips := 0
	for n := 0; n < len(s.rec.data); n += everyPlace {
		s.flip(n, s.rec.data[n]^0x20, s.open)
		flips++
	}
	for n := 0; n < len(s.rec.data); n += everyPlace {
		was := s.rec.data[n]
		for _, to := range []byte{was ^ 1, was ^ 0x80, 0, '\n', '"', '}', 0xff} {
			if to != was {
				s.flip(n, to, s.scan)
				flips++
			}
		}
	}
	t.Logf("%d flips of %d bytes", flips, len(s.rec.data))
}

// demo is the journal of the main demonstration.
func demo(t testing.TB) recorded {
	t.Helper()
	sc, err := scenario.Load("ads-report", fixtures.Scenarios())
	if err != nil {
		t.Fatal(err)
	}
	space, err := workspace.Open(workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	d := newDesk(t, quick(t), Options{Artifacts: func(dir string) engine.ArtifactStore {
		return workspace.NewArtifacts(dir, workspace.ArtifactOptions{})
	}})
	clock := newClock()
	e := engine.New(engine.Config{Store: d.store, Clock: clock, NewID: d.ids, Version: "test",
		Model: sc.Model(scenario.Options{Lang: "en", Wait: scenario.Pause(clock)}),
		Tools: func(env engine.Env) []engine.Tool { return tool.All(space, env) }})
	defer e.Close()
	s, err := e.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	events := d.talk(s, sc.Prompt("en"))
	if len(all[engine.RunCompleted](events)) != 1 || len(all[engine.ApprovalResolved](events)) != 1 {
		t.Fatalf("the demonstration went wrong: %v", kindsOf(events))
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return d.record(s.ID())
}

func TestDemoAtSeededPlaces(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	s := newSite(t, demo(t))
	const places = 1000 / everyPlace
	for range places {
		n := dice.IntN(len(s.rec.data))
		if dice.IntN(2) == 0 {
			s.cut(n)
		} else {
			s.flip(n, s.rec.data[n]^byte(1+dice.IntN(255)), s.open)
		}
	}
	t.Logf("%d places of %d bytes, %d records", places, len(s.rec.data), len(s.rec.lines))
}
