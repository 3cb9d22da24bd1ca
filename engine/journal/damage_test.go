package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
)

// desk gives a program on a site's session, for tools of the test.
func (s *site) desk(t *testing.T, tools ...engine.Tool) *desk {
	t.Helper()
	d := newDesk(t, filepath.Dir(s.store.dir), Options{}, tools...)
	d.ids = func(prefix string) string { return prefix + "_R" + counterOf(d) }
	return d
}

func counterOf(d *desk) string {
	d.made++
	return itoa(d.made)
}

// TestTornTail cuts the last line at each byte and goes on with the session.
func TestTornTail(t *testing.T) {
	rec := short(t)
	last := len(rec.data) - len(rec.lines[len(rec.lines)-1])
	step := min(everyPlace, 3)
	if testing.Short() {
		step = 17
	}
	s := newSite(t, rec)
	d := s.desk(t, reader())
	for n := last; n < len(rec.data); n += step {
		_ = os.Remove(s.path + ".torn")
		if err := os.WriteFile(s.path, rec.data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		kept := len(rec.lines) - 1
		if n == len(rec.data)-1 {
			kept++
		}
		one := d.mustOpen(rec.id)
		events := d.past(one)
		for i := range kept {
			if encoded(t, events[i]) != encoded(t, rec.events[i]) {
				t.Fatalf("cut at %d: event %d is not shown as it was", n, i+1)
			}
		}
		wantTorn := int64(n - last)
		if n == len(rec.data)-1 {
			wantTorn = 0
		}
		told := all[engine.SessionResumed](events[kept:])
		if len(told) != 1 || (told[0].Recovered == nil) != (wantTorn == 0) || wantTorn > 0 && told[0].Recovered.TornBytes != wantTorn {
			t.Fatalf("cut at %d: session.resumed tells %+v", n, told)
		}
		if events[kept].Seq != engine.Seq(kept+1) {
			t.Fatalf("cut at %d: numbering goes on with %d after %d", n, events[kept].Seq, kept)
		}
		d.talk(one, "and now?")
		d.quit()

		data, _ := os.ReadFile(s.path)
		if !bytes.HasPrefix(data, []byte(joined(rec.lines[:kept]))) || bytes.Count(data, []byte("and now?")) != 1 {
			t.Fatalf("cut at %d: the records before are not all there", n)
		}
		for i, line := range bytesLines(data) {
			if _, err := check(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
				t.Fatalf("cut at %d: line %d is no record: %v", n, i+1, err)
			}
		}
		again := d.past(d.mustOpen(rec.id))
		if told := all[engine.SessionResumed](again); told[len(told)-1].Recovered != nil {
			t.Fatalf("cut at %d: the second opening warns of %+v", n, told[len(told)-1].Recovered)
		}
		if m := all[engine.UserMessage](again); m[len(m)-1].Text != "and now?" {
			t.Fatalf("cut at %d: the new message is gone", n)
		}
		d.quit()
	}
}

// damaged are the journal's three ways of being damaged by a power loss.
func damaged(rec recorded, line int) map[string][]byte {
	nul := slices.Clone(rec.lines)
	nul[line] = append(bytes.Repeat([]byte{0}, 400), '\n')
	flip := slices.Clone(rec.lines)
	flip[line] = bytes.Replace(flip[line], []byte(":"), []byte(";"), 1)
	return map[string][]byte{"nul": []byte(joined(nul)), "flip": []byte(joined(flip)), "tail": append(bytes.Clone(rec.data), make([]byte, 4096)...)}
}

func TestDamage(t *testing.T) {
	rec := short(t)
	// The record that is lost is the tool's result: the model must not be left without one.
	line := slices.IndexFunc(rec.events, func(e engine.Event) bool { return e.Kind() == "tool.completed" })
	for name, data := range damaged(rec, line) {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, rec)
			d := s.desk(t, reader())
			if err := os.WriteFile(s.path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if name == "tail" {
				events := d.past(d.mustOpen(rec.id))
				if told := all[engine.SessionResumed](events); told[0].Recovered == nil || told[0].Recovered.TornBytes != 4096 {
					t.Errorf("zeros at the end: %+v", told)
				}
				return
			}
			readOnly(t, d, s, line, data)
			repaired(t, d, s, line, data)
		})
	}
}

func readOnly(t *testing.T, d *desk, s *site, line int, data []byte) {
	t.Helper()
	one := d.mustOpen(s.rec.id)
	if engine.CodeOf(one.ReadOnly()) != engine.JournalDamaged {
		t.Fatalf("a damaged journal is open: %v", one.ReadOnly())
	}
	events := d.past(one)
	if len(events) != len(s.rec.events) {
		t.Fatalf("%d events for %d", len(events), len(s.rec.events))
	}
	for i, e := range events {
		hole, is := e.Payload.(engine.JournalDamage)
		if is != (i == line) || is && (hole.From != e.Seq || hole.To != e.Seq || hole.Reason == "") || e.Seq != engine.Seq(i+1) {
			t.Errorf("event %d is %s", i+1, encoded(t, e))
		}
	}
	if _, err := one.Do(t.Context(), engine.Send{Text: "go on", By: tester}); engine.CodeOf(err) != engine.SessionReadOnly || !strings.Contains(engine.MessageOf(err), "repair") {
		t.Errorf("sending to a damaged session: %v", err)
	}
	if len(d.model.requests()) != 0 {
		t.Error("the model was asked")
	}
	d.quit()
	l, err := d.store.List(t.Context())
	if err != nil || len(l) != 1 || l[0].State != "damaged" || l[0].Events != len(events)-1 || l[0].Reason == "" {
		t.Errorf("the list says %+v, %v", l, err)
	}
	if now, _ := os.ReadFile(s.path); !bytes.Equal(now, data) {
		t.Error("the damaged file was changed")
	}
}

func repaired(t *testing.T, d *desk, s *site, line int, data []byte) {
	t.Helper()
	plan, err := d.store.Repair(s.rec.id, false)
	if now, _ := os.ReadFile(s.path); err != nil || plan.Kept != len(s.rec.events)-1 || plan.Missing != 1 || len(plan.Dropped) != 1 || plan.Dropped[0].Line != line+1 || !bytes.Equal(now, data) {
		t.Fatalf("the plan is %+v, %v", plan, err)
	}
	plan, err = d.store.Repair(s.rec.id, true)
	if err != nil {
		t.Fatal(err)
	}
	if kept, _ := os.ReadFile(filepath.Join(s.dir, plan.Backup)); !bytes.Equal(kept, data) {
		t.Error("the old journal was not kept")
	}
	if r, err := d.store.Verify(s.rec.id); err != nil || !r.OK || r.Events != len(s.rec.events) {
		t.Errorf("after the repair: %+v, %v", r, err)
	}
	one := d.mustOpen(s.rec.id)
	events := d.past(one)
	for i := range s.rec.events {
		if i != line && encoded(t, events[i]) != encoded(t, s.rec.events[i]) {
			t.Errorf("event %d was changed by the repair", i+1)
		}
	}
	if p, ok := events[line].Payload.(engine.JournalRepaired); !ok || p.From != engine.Seq(line+1) || p.To != p.From {
		t.Errorf("in the place of the damage is %s", encoded(t, events[line]))
	}
	d.talk(one, "go on")
	wellFormed(t, d.model)
	d.quit()
	if plan, err := d.store.Repair(s.rec.id, true); err != nil || plan.Dropped != nil || plan.Backup != "" {
		t.Errorf("repairing a whole journal: %+v, %v", plan, err)
	}
}

// wellFormed holds the newest request to what every provider asks: right after an answer with
// calls stands exactly one result of each, in order, and nowhere else stands any.
func wellFormed(t *testing.T, m *script) []engine.Message {
	t.Helper()
	requests := m.requests()
	messages := requests[len(requests)-1].Messages
	var due []engine.Call
	for i, msg := range messages {
		switch {
		case msg.Role == engine.RoleTool:
			if len(due) == 0 || due[0].ID != msg.Reply {
				t.Fatalf("message %d is a result of %s, due is %v", i, msg.Reply, due)
			}
			due = due[1:]
		case len(due) > 0:
			t.Fatalf("message %d comes before the result of %s", i, due[0].ID)
		case msg.Role == engine.RoleAssistant && msg.Text == "" && len(msg.Calls) == 0:
			t.Fatalf("message %d is an answer with nothing in it", i)
		}
		due = append(due, msg.Calls...)
	}
	if len(due) > 0 {
		t.Fatalf("the request ends before the result of %s", due[0].ID)
	}
	return messages
}

// TestForeignLines puts between the records what does not belong there.
func TestForeignLines(t *testing.T) {
	rec, other := short(t), demo(t)
	insert := func(at int, what string) []byte {
		return []byte(joined(rec.lines[:at]) + what + joined(rec.lines[at:]))
	}
	without := func(at int) string { return strings.TrimSuffix(joined(rec.lines[at:at+1]), "\n") }
	foreign := bytes.ReplaceAll(other.lines[3], []byte("ses_00001"), []byte("ses_99999"))
	foreign, _ = seal(append(foreign[:len(foreign)-1-tailBytes:len(foreign)-1-tailBytes], '}'), 0, 7)
	for name, c := range map[string]struct {
		data  []byte
		notes int
	}{
		"a foreign line":              {insert(3, `{"kind":"other-program"}`+"\n"), 1},
		"a foreign line at the start": {insert(0, "hello\n"), 1},
		"an empty line":               {insert(3, "\n"), 1},
		"a record twice":              {insert(3, joined(rec.lines[2:3])), 1},
		"a block twice":               {insert(6, joined(rec.lines[2:6])), 4},
		"two records on a line":       {[]byte(joined(rec.lines[:3]) + without(3) + joined(rec.lines[4:])), 0},
		"zeros before a record":       {insert(3, "\x00\x00\x00\x00"), 1},
		"a torn copy before a record": {insert(3, without(3)[:50]), 1},
		"a record of another session": {insert(3, string(foreign)), 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, rec)
			got := s.open(c.data, name)
			if got.events != len(rec.events) || got.holes != 0 || got.torn != 0 || got.err != nil {
				t.Fatalf("%+v", got)
			}
			r, err := s.store.Verify(rec.id)
			if err != nil || !r.OK || len(r.Notes) != c.notes {
				t.Errorf("verify: %+v, %v", r, err)
			}
			d := s.desk(t, reader())
			d.talk(d.mustOpen(rec.id), "still there?")
			d.quit()
			if r, err := s.store.Verify(rec.id); err != nil || !r.OK || len(r.Gaps) > 0 {
				t.Errorf("verify after going on: %+v, %v", r, err)
			}
		})
	}
}

// TestOtherContent: a number that stands there twice with different content is no doubled record.
func TestOtherContent(t *testing.T) {
	rec := short(t)
	s := newSite(t, rec)
	e := rec.events[4]
	e.Payload = engine.Notice{Code: "X", Message: "another story"}
	prev, _, _ := readTail(rec.lines[4][len(rec.lines[4])-1-tailBytes : len(rec.lines[4])-1])
	line, _, err := appendLine(nil, e, prev)
	if err != nil {
		t.Fatal(err)
	}
	got := s.open([]byte(joined(rec.lines[:5])+string(line)+joined(rec.lines[5:])), "two stories")
	if engine.CodeOf(got.err) != engine.JournalDamaged || got.events != len(rec.events) {
		t.Errorf("%+v", got)
	}
}

// TestNotUnderstood: a record that is whole but no event is a hole, not an end.
func TestNotUnderstood(t *testing.T) {
	rec := short(t)
	s := newSite(t, rec)
	lines := slices.Clone(rec.lines)
	prev, _, _ := readTail(lines[4][len(lines[4])-1-tailBytes : len(lines[4])-1])
	env := bytes.Replace(lines[4][:len(lines[4])-1-tailBytes], []byte(`"payload":{`), []byte(`"payload":[{`), 1)
	lines[4], _ = seal(append(append([]byte(nil), env...), "]}"...), 0, prev)
	got := s.open([]byte(joined(lines)), "an event of another shape")
	if engine.CodeOf(got.err) != engine.JournalDamaged || got.events != len(rec.events)-1 || got.holes != 1 {
		t.Errorf("%+v", got)
	}
}

// TestReplaced puts another whole record in the place of one: the next does not continue it.
func TestReplaced(t *testing.T) {
	rec := short(t)
	s := newSite(t, rec)
	e := rec.events[4]
	e.Payload = engine.Notice{Code: "X", Message: "another story"}
	prev, _, _ := readTail(rec.lines[4][len(rec.lines[4])-1-tailBytes : len(rec.lines[4])-1])
	line, _, err := appendLine(nil, e, prev)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.path, []byte(joined(rec.lines[:4])+string(line)+joined(rec.lines[5:])), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := s.store.Open(t.Context(), rec.id)
	if engine.CodeOf(err) != engine.JournalDamaged || engine.DetailsOf(err)["line"] != 6 {
		t.Errorf("open: %v", err)
	}
	if got := replay(t, j, 0); len(got) != len(rec.events) {
		t.Errorf("%d events are shown", len(got))
	}
}
