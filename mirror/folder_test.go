package mirror

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
)

func event(seq int, p engine.Payload) engine.Event {
	return engine.Event{ID: "evt_1", Session: "ses_1", Seq: engine.Seq(seq), At: time.Unix(0, 0).UTC(), Run: "run_1", Payload: p}
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
