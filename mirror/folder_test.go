package mirror

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
)

func event(seq int, p engine.Payload) engine.Event {
	return engine.Event{ID: "evt_1", Session: "ses_1", Seq: engine.Seq(seq), At: time.Unix(0, 0).UTC(), Run: "run_1", Payload: p}
}

// Text is the same for whoever reads the JSON.
func TestAppendText(t *testing.T) {
	for _, s := range []string{"", "plain", "a\nb\tc\x00\x1f", `"quoted" \ and`, "你好 é 👩‍👩‍👧", "</script>&"} {
		var got string
		if err := json.Unmarshal(appendText(nil, s), &got); err != nil || got != s {
			t.Errorf("%q became %q: %v", s, got, err)
		}
	}
}

// BenchmarkFold is what a piece of an answer costs from the log to its frame.
func BenchmarkFold(b *testing.B) {
	f := newFolder(ShareAll, "ses_1")
	_ = f.fold([]engine.Event{event(1, engine.SessionStarted{}), event(2, engine.RunStarted{Run: "run_1"}), event(3, engine.AssistantStarted{Message: "msg_1"})})
	text := strings.Repeat("words ", 10)
	b.ReportAllocs()
	n := 3
	for b.Loop() {
		n++
		if err := f.fold([]engine.Event{event(n, engine.AssistantDelta{Message: "msg_1", Delta: text})}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFoldTitle is the same of an event that changes the session's line and adds a row.
func BenchmarkFoldTitle(b *testing.B) {
	f := newFolder(ShareAll, "ses_1")
	_ = f.fold([]engine.Event{event(1, engine.SessionStarted{})})
	b.ReportAllocs()
	n := 1
	for b.Loop() {
		n++
		if err := f.fold([]engine.Event{event(n, engine.SessionRenamed{Title: "title " + strconv.Itoa(n)})}); err != nil {
			b.Fatal(err)
		}
	}
}
