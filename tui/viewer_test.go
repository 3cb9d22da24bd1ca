package tui

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// reading is a screen with a text open.
func reading(t *testing.T, set setup, v *viewer) *screen {
	t.Helper()
	s := messages(t, set, talk())
	s.on(func(m *Model) { m.cover(v) })
	return s
}

func lineByLine(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of it\n", i+1)
	}
	return b.String()
}

func TestTheViewerScrolls(t *testing.T) {
	s := reading(t, setup{w: 100, h: 30}, &viewer{title: "a long text", text: lineByLine(310)})
	s.Shows("a long text", "1–21 of 310 lines", "line 21 of it")
	s.Lacks("line 22 of it")
	s.Press("down")
	s.Shows("2–22 of 310 lines")
	s.Press("pgdown")
	s.Shows("22–42 of 310")
	s.Press("end")
	s.Shows("290–310 of 310", "line 310 of it")
	s.Press("pgup")
	s.Press("up")
	s.Shows("269–289 of 310")
	s.Press("home")
	s.Shows("1–21 of 310")
	s.Resize(80, 24)
	s.Shows("1–15 of 310")
	s.Press("esc")
	s.Lacks("a long text")
}

func TestTheViewerSearches(t *testing.T) {
	s := reading(t, setup{w: 100, h: 30}, &viewer{title: "a long text", text: lineByLine(310)})
	s.Type("/")
	s.Type("LINE 30")
	s.Shows("1 of 11", "› line 30 of it")
	s.Press("enter")
	s.Type("n")
	s.Shows("2 of 11", "› line 300 of it")
	s.Type("N")
	s.Type("N")
	s.Shows("11 of 11", "line 309 of it")
	s.Press("esc")
	s.Lacks("11 of 11")
	s.Shows("a long text")
	s.Press("esc")
	s.Lacks("a long text")
}

// Words that were wrapped apart are found, and in Markdown those that are read.
func TestTheViewerSearchesWhatIsRead(t *testing.T) {
	s := reading(t, setup{w: 60, h: 24, colours: colorprofile.ASCII}, &viewer{title: "prose", text: strings.Repeat("many words go over the edge of a line ", 9) + "needle"})
	s.Type("/")
	s.Type("line many words")
	s.Shows("1 of 8", "›")
	m := reading(t, setup{w: 100, h: 30}, &viewer{title: "md", head: "told before", text: "# Head\n\nsome **bold words** here\n", md: true})
	m.Shows("told before", "Head", "some bold words here")
	m.Type("/")
	m.Type("some bold")
	m.Shows("1 of 1", "› some bold words here")
}

func TestTheViewerCopies(t *testing.T) {
	s := reading(t, setup{w: 100, h: 30}, &viewer{title: "t", head: "about it", text: "the text\tof it\n"})
	var b board
	s.on(func(m *Model) { m.o.Clipboard = b.put })
	s.Type("c")
	s.Shows("copied 15 B")
	b.wait(s, "the text\tof it\n")
}

// A megabyte is laid out once, when it opens: a page more takes little memory, as text, as code and as
// Markdown.
func TestTheViewerLaysOutOnce(t *testing.T) {
	for name, text := range map[string]string{"lines": lineByLine(70_000), "one line": strings.Repeat("word ", 200_000), "wide": strings.Repeat("中文字符", 85_000)} {
		for _, v := range []*viewer{{text: text}, {text: text, code: true}, {text: text, md: true}} {
			m := talk().still(setup{w: 160, h: 45, lang: words.English, theme: "dark"})
			m.cover(v)
			m.View()
			if took := allocated(50, func(int) {
				m.Update(tea.KeyPressMsg{Code: tea.KeyPgDown})
				m.View()
			}); took > 512<<10 {
				t.Errorf("%s: a page takes %d bytes", name, took)
			}
		}
	}
}

// allocated is how many bytes one of n doings takes on average.
func allocated(n int, do func(i int)) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range n {
		do(i)
	}
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc-before.TotalAlloc) / n
}

func TestTheViewerAtAnySize(t *testing.T) {
	m := talk().still(setup{w: 160, h: 45, lang: words.English, theme: "dark"})
	v := &viewer{title: "中文标题 of it", text: "中文字符，标点：全角！ and words\n\tand a tab", note: "a note"}
	m.cover(v)
	for w := 1; w < 130; w += 3 {
		for _, h := range []int{1, 2, 5, 11, 12, 13, 14, 17, 24, 45} {
			m.Update(tea.WindowSizeMsg{Width: w, Height: h})
			checkFits(failing{t, fmt.Sprintf("%dx%d: ", w, h)}, m, w, h)
			v.find.begin()
			v.find.query = "字"
			v.look()
			checkFits(failing{t, fmt.Sprintf("search %dx%d: ", w, h)}, m, w, h)
			v.find.end()
		}
	}
	for _, w := range []int{1, 2, 3} {
		for _, h := range []int{0, 1, 2, 3} {
			if got := v.render(m, w, h); len(got) > h {
				t.Errorf("%d lines in %d", len(got), h)
			}
		}
	}
}

func skillsOf(t *testing.T, set setup, l *tape, files map[engine.Ref]string) *screen {
	t.Helper()
	if set.lang == "" {
		set.lang = words.English
	}
	set.theme = "dark"
	s := play(t, set, l)
	s.withFiles(files)
	s.Press("shift+tab")
	s.Press("shift+tab")
	return s
}

func TestSkillsAreShown(t *testing.T) {
	l := talk()
	c := l.events[1].Payload.(engine.CatalogLoaded)
	c.Skills[0].Location = "skill:ads-analysis/SKILL.md"
	c.Skills[1].Location = "skill:report-writer/SKILL.md"
	l.events[1].Payload = c
	s := skillsOf(t, setup{w: 160, h: 45, colours: colorprofile.ASCII}, l, map[engine.Ref]string{{Skill: "skill:ads-analysis/SKILL.md"}: "---\nname: ads-analysis\n---\nThe body of the skill.\x1b[2J\n"})
	s.Shows("›◦ ads-analysis")
	s.Press("enter")
	s.Shows("from: bundled · skill:ads-analysis/SKILL.md", "about 1.2k tok when loaded", "name: ads-analysis", "The body of the skill.␛[2J")
	s.Press("esc")
	s.Press("down")
	s.Shows("›◦ report-writer")
	s.Press("enter")
	s.Shows("can't be read: there is no such file", "no description (line 3)")
	s.Press("esc")
	s.Lacks("can't be read")
}

func TestToolsAreShown(t *testing.T) {
	s := skillsOf(t, setup{w: 160, h: 45}, talk(), nil)
	var n int
	s.on(func(m *Model) {
		for i, tool := range m.state.Tools {
			if tool.Name == "read" {
				n = len(m.state.Skills) + i
			}
		}
		m.skills.choose(n)
	})
	s.Press("enter")
	s.Shows("policy: allowed", "why: allow read (built in)", "called 1 time:", "✗ failed")
}

func TestArtifactsAreShown(t *testing.T) {
	l := talk()
	l.add(0, engine.ArtifactReady{Artifact: engine.Artifact{ID: "art_2", Name: "picture.png", MIME: "image/png", Bytes: 1234567}})
	l.add(0, engine.AttachmentAdded{Attachment: engine.Attachment{ID: "att_1", Name: "creative.png", MIME: "image/png", Bytes: 1200}})
	s := skillsOf(t, setup{w: 160, h: 60}, l, map[engine.Ref]string{{Artifact: "art_1"}: "# Report\n\nROAS is **9.99** today.\n", {Artifact: "art_2"}: "\x89PNG\x00\x01"})
	s.Shows("picture.png") // laid out
	s.Press("end")
	s.Press("enter")
	s.Shows("not text: nothing to read here · image/png · 1.2 MB")
	s.Press("esc")
	s.Press("up")
	s.Press("enter")
	s.Shows("ROAS is 9.99 today.")
	s.Press("esc")
	s.Press("up")
	s.Press("enter")
	s.Shows("creative.png · image/png · 1.2 KB")
}

func TestClicksOnSkills(t *testing.T) {
	s := play(t, setup{w: 160, h: 45, lang: words.English, theme: "dark"}, talk())
	s.Shows("report-writer")
	var y int
	s.on(func(m *Model) {
		a, _, _ := m.areas()
		y = a.y + sideRows + m.skills.rows[1].from
	})
	click := func() { s.program.Send(tea.MouseClickMsg{X: 3, Y: y, Button: tea.MouseLeft}) }
	click()
	s.on(func(m *Model) {
		if m.skills.cursor != 1 || m.top() != nil || m.focus != onSkills {
			t.Errorf("entry %d is chosen", m.skills.cursor)
		}
	})
	click()
	s.Shows("from: bundled")
}

// The cursor stays in view, and the letter d is the draft's.
func TestTheSkillsCursor(t *testing.T) {
	s := skillsOf(t, setup{w: 80, h: 24}, talk(), nil)
	for range 30 {
		s.Press("down")
	}
	s.on(func(m *Model) {
		p := &m.skills
		if r := p.rows[p.cursor]; p.cursor != entries(m)-1 || r.from < p.top || r.to > p.top+p.shown {
			t.Errorf("entry %d in lines %d to %d, from %d on %d in view", p.cursor, r.from, r.to, p.top, p.shown)
		}
	})
	s.Type("d")
	if d := s.Draft(); d != "d" {
		t.Errorf("the draft is %q", d)
	}
}

func TestBinary(t *testing.T) {
	for text, want := range map[string]bool{"text": false, "a\x00b": true, "\xff\xfe": true, "中文": false} {
		if binary(text, false) != want {
			t.Errorf("%q", text)
		}
	}
	if cut := "中文"[:4]; binary(cut, true) || !binary(cut, false) {
		t.Error("half a letter at the end")
	}
}

// With --ascii what is opened, searched and marked is ASCII too, when the texts are.
func TestOpenThingsInASCII(t *testing.T) {
	x := plainTexts()
	x.user, x.answer = "look at it", "it is **done**"
	m := story("failed", x).still(setup{w: 160, h: 45, lang: words.English, theme: "dark", ascii: true})
	check := func(about string) {
		t.Helper()
		for _, r := range picture(m) {
			if r > unicode.MaxASCII {
				t.Fatalf("%s: %q on the screen:\n%s", about, r, picture(m))
			}
		}
	}
	m.focus = onChat
	m.beginFind()
	m.chat.pasted(m, "it")
	check("search")
	m.chat.find.typing = false
	check("found")
	m.chat.find.end()
	for n := range m.chat.items {
		m.chat.sel = n + 1
		m.enterMessage()
		check("message")
		m.overlays = nil
	}
	m.focus = onSkills
	for n := range entries(m) {
		m.skills.cursor = n
		m.openEntry()
		check(fmt.Sprintf("entry %d", n))
		m.overlays = nil
	}
	l := talk()
	m = l.still(setup{w: 160, h: 60, lang: words.English, theme: "dark", ascii: true})
	m.focus = onChat
	for n, i := range m.chat.items {
		if i.msg.Call != nil {
			m.chat.fold(m, n)
			m.chat.sel = n + 1
			m.openWhole()
			check("card")
			m.overlays = nil
		}
	}
}

// What is typed before the page has been laid out is found all the same.
func TestTheViewerSearchesBeforeItIsDrawn(t *testing.T) {
	l := talk()
	m := l.still(setup{w: 100, h: 30, lang: words.English, theme: "dark"})
	v := &viewer{title: "a long text", text: lineByLine(310)}
	m.cover(v)
	for _, r := range "/line 300" {
		m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	if on := picture(m); !strings.Contains(on, "› line 300 of it") || !strings.Contains(on, "1 of 1") {
		t.Errorf("it is not found:\n%s", on)
	}
}
