package journal

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"agentstudio/engine"
)

// The benchmarks append the two kinds of events that a run is made of: deltas, and a tool's result
// now and then.
func benchEvent(seq engine.Seq) engine.Event {
	e := engine.Event{ID: "evt_01JDZ3V0E6W1N0D3PR0DUCT10N", Session: "ses_01JDZ3V0E6W1N0D3PR0DUCT10N", Seq: seq,
		At: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Run: "run_01JDZ3V0E6W1N0D3PR0DUCT10N", Cause: 7}
	if seq%8 == 0 {
		e.Payload = engine.ToolCompleted{Call: "call_1", Tool: "read", Content: "1\talpha\n2\tbeta\n", DurationMS: 12}
	} else {
		e.Payload = engine.AssistantDelta{Message: "msg_01JDZ3V0E6W1N0D3PR0DUCT10N", Delta: "the campaign spent a third more than the week before, "}
	}
	return e
}

// BenchmarkAppend is one event through the journal: one line, chained, one write.
func BenchmarkAppend(b *testing.B) {
	st, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	j, err := st.Create(b.Context(), "ses_01JDZ3V0E6W1N0D3PR0DUCT10N")
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	if err := j.Append([]engine.Event{benchEvent(1)}); err != nil {
		b.Fatal(err)
	}
	if err := j.Sync(); err != nil {
		b.Fatal(err)
	}
	events, seq := make([]engine.Event, 1), engine.Seq(2)
	b.ReportAllocs()
	for b.Loop() {
		events[0] = benchEvent(seq)
		if err := j.Append(events); err != nil {
			b.Fatal(err)
		}
		seq++
	}
}

// plain is the same event as a struct that encoding/json writes by itself.
type plain struct {
	ID      engine.EventID   `json:"eventId"`
	Session engine.SessionID `json:"sessionId"`
	Seq     engine.Seq       `json:"sequence"`
	At      string           `json:"timestamp"`
	Type    string           `json:"type"`
	Run     engine.RunID     `json:"runId"`
	Cause   engine.Seq       `json:"cause"`
	Payload any              `json:"payload"`
	Prev    string           `json:"prev"`
	CRC     string           `json:"crc"`
}

// BenchmarkAppendFloor is what any journal must pay: encoding, and one write.
func BenchmarkAppendFloor(b *testing.B) {
	f, err := os.OpenFile(filepath.Join(b.TempDir(), eventsName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	seq := engine.Seq(1)
	b.ReportAllocs()
	for b.Loop() {
		e := benchEvent(seq)
		line, err := json.Marshal(plain{e.ID, e.Session, e.Seq, "2026-01-01T00:00:00.000Z", e.Kind(), e.Run, e.Cause, e.Payload, "01234567", "89abcdef"})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.Write(append(line, '\n')); err != nil {
			b.Fatal(err)
		}
		seq++
	}
}

// BenchmarkReopen is opening a long session for writing.
func BenchmarkReopen(b *testing.B) {
	const events = 10_000
	st, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	j, err := st.Create(b.Context(), "ses_01JDZ3V0E6W1N0D3PR0DUCT10N")
	if err != nil {
		b.Fatal(err)
	}
	for seq := range engine.Seq(events) {
		if err := j.Append([]engine.Event{benchEvent(seq + 1)}); err != nil {
			b.Fatal(err)
		}
	}
	if err := j.Sync(); err != nil {
		b.Fatal(err)
	}
	_ = j.Close()
	for b.Loop() {
		j, err := st.Open(b.Context(), "ses_01JDZ3V0E6W1N0D3PR0DUCT10N")
		if err != nil {
			b.Fatal(err)
		}
		_ = j.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
}
