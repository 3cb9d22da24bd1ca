package tui

import (
	"testing"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// BenchmarkDelta is Update and View for one piece of an answer of 50 KB, beside a timeline of
// 5,000 rows, on 200x50.
func BenchmarkDelta(b *testing.B) {
	l := newTape()
	l.opening(plainTexts())
	for len(l.events) < 4990 {
		l.add(0, engine.Notice{Code: "USAGE_UNKNOWN", Message: "a note"})
	}
	x := plainTexts()
	x.answer = "Some **bold** text and `code`, a paragraph of two hundred letters or so, 中文也有, as models write them when asked.\n\n"
	l.running(x)
	m := l.still(setup{w: 200, h: 50, lang: words.English, theme: "dark"})
	seq := m.state.Seq
	add := func(text string) {
		seq++
		m.Update(eventsMsg{m.o.Session, []engine.Event{{ID: "e", Session: "ses_1", Seq: seq, At: l.at, Run: "run_1", Payload: engine.AssistantDelta{Message: "msg_2", Delta: text}}}})
	}
	for n := 0; n < 50<<10; n += len(x.answer) {
		add(x.answer)
	}
	m.View()
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i++
		add([]string{"word ", "and ", "more ", "\n\n"}[i%4])
		m.View()
	}
}

// BenchmarkKey is Update and View for one letter typed.
func BenchmarkKey(b *testing.B) {
	l := story("running", plainTexts())
	m := l.still(setup{w: 200, h: 50, lang: words.English, theme: "dark"})
	m.View()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Update(press(rune('a' + i%26)))
		m.View()
		if i%200 == 0 {
			m.composer.set("")
		}
	}
}

// BenchmarkStill is View when nothing changed.
func BenchmarkStill(b *testing.B) {
	l := story("approval", plainTexts())
	m := l.still(setup{w: 200, h: 50, lang: words.English, theme: "dark"})
	b.ReportAllocs()
	for b.Loop() {
		m.View()
	}
}
