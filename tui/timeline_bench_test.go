package tui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// BenchmarkTimelineScroll is Update and View for one step of the cursor on a screen that has room
// for this pane alone, all rows shown and with a filter: as much for 10,000 events as for 100.
func BenchmarkTimelineScroll(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		for _, text := range []string{"", "done"} {
			b.Run(fmt.Sprintf("%d/%s", n, text), func(b *testing.B) {
				m := rowsOf(n).still(setup{w: 90, h: 45, lang: words.English, theme: "dark"})
				m.focus = onTimeline
				m.want(func(w *wanted) { w.text = text })
				m.View()
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					code := tea.KeyUp
					if i/30%2 == 1 {
						code = tea.KeyDown
					}
					m.Update(tea.KeyPressMsg{Code: code})
					m.View()
				}
			})
		}
	}
}

// BenchmarkTimelineAdd is what the pane does for one event more while a text is filtered.
func BenchmarkTimelineAdd(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := rowsOf(n)
			m := l.still(wide())
			m.want(func(w *wanted) { w.text = "done" })
			m.View()
			w, h := m.timeline.w, m.timeline.h
			seq := m.state.Seq
			b.ReportAllocs()
			for b.Loop() {
				seq++
				p, err := m.state.Apply(engine.Event{Seq: seq, At: l.at, Run: "run_1", Payload: engine.ToolCompleted{Call: "call_1", Tool: "read", DurationMS: 2}})
				if err != nil {
					b.Fatal(err)
				}
				m.timeline.take(p)
				m.timeline.render(m, w, h)
			}
		})
	}
}
