package tui

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/words"
)

// vectors are the strings that try to be more than text.
func vectors(t *testing.T) []string {
	var list []string
	read(t, "t-escape-injection/sequences.json", &list)
	return append(list,
		"\x1b]0;title\x1b\\", "\x1b[21t", "\x1bP$qm\x1b\\", "\x1b[?2026$p", "\x1b[c", "\x1b[>c", "\x1b]11;?\a", "\x1b]4;1;?\a", "\x1b]50;font\a",
		"\x1b]9;note\a", "\x1b]99;;note\a", "\x1b]777;notify;a;b\a", "\x1b]1337;File=:AAAA\a", "\x1b[201~paste\x19", "\u0085next", "\u0090q\u009c", "\u009eprivacy\u009c",
		"\x1bPq#0;2;0;0;0#0~~\x1b\\", "\x1b[8mhidden", "\x1b[30;40mblack", "\x1b[1;1H", "\x1b[r", "\x1b[?25l", "\x1b(0qqq", "\v\f", "\x1b#8", "\x1b[!p", "\x1b[?1000h", "\x1b[>1u",
		"\u202d\u202b\u200e\u200f\u061c", "\u200b\u200c\u200d\u2060\u00ad\u034f\u3164\u115f", "\U000e0041\U000e0042\U000e007f", "\ufe00\ufe0f\U000e0100", "\u2028\u2029",
		"\ue000\U000f0000", "\xff\xfe\xc0\x80", "e"+strings.Repeat("\u0301", 2000), "\x1b\x1b[31m", "\xc2", "\x9b31m", "a\x1b\n[31mb", "pa\u0443pal", "\x18\x1a\x1b[2K", "\x05\x11\x13",
	)
}

// sequence is one control sequence, or one control, of what a program writes.
var sequence = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\|\x1b_[^\x1b]*\x1b\\|\x1b[ -/]*[0-~]?|[\x00-\x1a\x1c-\x1f\x7f]|[\x{80}-\x{9f}]`)

// ours is the grammar of the renderer: what it may write beside text, whatever it shows. Modes are
// the alternate screen, cursor, mouse, focus, paste, and the two it asks for.
var ours = regexp.MustCompile(`^(?:\x1b\[[0-9;:]*m|\x1b\[[0-9;]*[ABCDEFGHJKLMPSTX@bd` + "`" + `]|\x1b\[\?(?:7|25|1002|1003|1004|1006|1049|2004|2026|2027)(?:[hl]|\$p)|\x1b\[[<>=][0-9;]*[umq]|\x1b\[\?u|\x1b\[>4(?:;[0-9])?m|\x1b\[[0-9]* q|\x1b\](?:0|2);(?:Agent Studio)?(?:\x07|\x1b\\)|[\r\n\x08\t]|\x1bM)$`)

// checkRaw fails at a sequence that isn't the renderer's.
func checkRaw(t *testing.T, about, raw string) {
	t.Helper()
	for _, s := range sequence.FindAllString(raw, -1) {
		if !ours.MatchString(s) {
			t.Fatalf("%s: the program wrote %q", about, s)
		}
	}
}

// checkContent fails at anything in a picture but text, line ends and the theme's own styles.
func checkContent(t *testing.T, about string, m *Model) {
	t.Helper()
	style := regexp.MustCompile(`^\x1b\[(?:0|[1-9]|38;2;\d+;\d+;\d+|48;2;\d+;\d+;\d+)?(?:;(?:[139]|38;2;\d+;\d+;\d+|48;2;\d+;\d+;\d+))*m$`)
	content := m.View().Content
	for _, s := range sequence.FindAllString(content, -1) {
		if s != "\n" && !style.MatchString(s) {
			t.Fatalf("%s: the picture holds %q", about, s)
		}
	}
	for _, line := range strings.Split(strings.ReplaceAll(ansi.Strip(content), "\u00a0", " "), "\n") {
		if again := string(safe.Text(line, safe.Prose)); again != line {
			t.Fatalf("%s: the picture isn't clean text: %+q, cleaned %+q", about, line, again)
		}
	}
}

// marked is what a sink is recognised by on the screen.
func marked(name, vector string) string { return "q" + name + vector + "z" }

// hostile puts a vector into every field, each behind a mark of its own.
func hostile(v string) texts {
	return texts{user: marked("us", v), answer: marked("an", v) + "\n\n```\n" + marked("fe", v) + "\n```\n", reasoning: marked("re", v), tool: marked("to", v), argument: marked("ar", v), result: marked("rs", v),
		failure: marked("fa", v), skill: marked("sk", v), description: marked("de", v), diagnostic: marked("di", v), artifact: marked("fi", v), title: marked("ti", v), actor: marked("ac", v),
		preview: marked("pr", v), model: marked("mo", v), workspace: marked("wo", v)}
}

// No string obeys: in what the real program writes there are only the renderer's sequences, and
// in the picture it is told to draw only ours.
func TestSweepOfSequences(t *testing.T) {
	for i, v := range vectors(t) {
		x := hostile(v)
		for _, name := range []string{"approval", "failed", "denied", "running"} {
			if name == "running" {
				x.answer = "" // the reasoning shows until the answer begins
			}
			l := story(name, x)
			about := fmt.Sprintf("%q in %s", v, name)
			m := l.still(setup{w: 200, h: 70, lang: words.English, theme: "dark"})
			checkContent(t, about, m)
			for _, mark := range seen(name) {
				if name == "running" && len(v) > maxThought {
					continue // only the end of the reasoning is shown
				}
				if !strings.Contains(picture(m), "q"+mark) {
					t.Errorf("%s: the screen does not show %s:\n%s", about, mark, picture(m))
				}
			}
			if name == "approval" && (i < 23 || i%3 == 0) || i%8 == 0 { // the case's own all, of the others some
				s := play(t, setup{w: 120, h: 45, lang: words.English, theme: "dark"}, l)
				s.quit()
				checkRaw(t, about, unmeasured(s.raw.String()))
			}
		}
	}
}

// unmeasured is what was written without the measuring of a sign's width, which a slow test lives to
// see: it keeps the cursor's place, which no text may.
func unmeasured(raw string) string {
	return regexp.MustCompile(`(?s)\x1b7\x1b\[1;1H●\x1b\[6n\x1b\[1;1H.{0,200}?\x1b8`).ReplaceAllString(raw, "")
}

// seen are the marks that a state must show.
func seen(state string) []string {
	return map[string][]string{
		"approval": {"us", "an", "fe", "to", "pr", "sk", "de", "di", "fa"},
		"failed":   {"us", "an", "fe", "fa", "fi", "sk", "de", "di"},
		"denied":   {"us", "an", "fe", "to", "ac", "sk"},
		"running":  {"re"},
	}[state]
}

// Where a person decides nothing is hidden: every hidden byte has its mark, in the preview and in
// arguments that have none.
func TestTheApprovalHidesNothing(t *testing.T) {
	for _, v := range vectors(t) {
		for _, preview := range []string{marked("pr", v), ""} {
			x := plainTexts()
			x.argument, x.preview = marked("ar", v), preview
			m := story("approval", x).still(setup{w: 240, h: 60, lang: words.English, theme: "dark"})
			joined := squeezed(picture(m))
			shown := ""
			for _, l := range m.panel.lines {
				shown += string(l)
			}
			want := string(safe.Text(preview, safe.Approval))
			if preview == "" {
				args := string(m.state.Approvals[0].Arguments)
				want = string(safe.Text(args[strings.Index(args, "qar"):strings.Index(args, `z"`)+1], safe.Approval))
			}
			if want = strings.ReplaceAll(want, "\n", ""); !strings.Contains(shown, want) {
				t.Errorf("%q: the panel shows %q, not %q", v, shown, want)
			}
			for _, l := range m.panel.lines[:min(3, len(m.panel.lines))] {
				if !strings.Contains(joined, squeezed(string(l))) {
					t.Errorf("%q: the screen lacks the line %q", v, l)
				}
			}
		}
	}
}

// A sequence cut between two deltas never comes together on the screen.
func TestASplitSequenceStaysApart(t *testing.T) {
	raw, err := os.ReadFile("testdata/cases/t-escape-injection/split.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var deltas []string
	for _, m := range regexp.MustCompile(`"delta": ("(?:[^"\\]|\\.)*")`).FindAllStringSubmatch(string(raw), -1) {
		var d string
		decode(t, m[1], &d)
		deltas = append(deltas, d)
	}
	for _, thinking := range []bool{false, true} {
		l := newTape()
		l.opening(plainTexts())
		x := plainTexts()
		x.answer, x.reasoning = "", ""
		a := l.running(x)
		for _, d := range deltas {
			if thinking {
				l.add(a, engine.ReasoningDelta{Message: "msg_2", Delta: d})
			} else {
				l.add(a, engine.AssistantDelta{Message: "msg_2", Delta: d})
			}
			m := l.still(setup{w: 160, h: 45, lang: words.English, theme: "dark"})
			checkContent(t, fmt.Sprintf("after %q", d), m)
		}
		if !thinking {
			l.add(a, engine.AssistantCompleted{Message: "msg_2", StopReason: engine.StopEnd})
		}
		s := play(t, setup{w: 160, h: 45, theme: "dark"}, l)
		s.Shows("start ␛]52;c;QUNNRQ==␇ mid ␛[2J end", "31m tail")
		s.quit()
		checkRaw(t, "split", unmeasured(s.raw.String()))
	}
}

// A link cannot lie, HTML is text, and nothing is fetched.
func TestLinksAndHTMLAreText(t *testing.T) {
	text, err := os.ReadFile("testdata/cases/t-links-html/text.md")
	if err != nil {
		t.Fatal(err)
	}
	x := plainTexts()
	x.answer, x.result, x.artifact = string(text), string(text), string(text)
	s := play(t, setup{w: 200, h: 80, lang: words.English, theme: "dark"}, story("approved", x))
	s.on(func(m *Model) { m.chat.move(-1000) })
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		for _, link := range regexp.MustCompile(`\[([^\]]*)\]\(([^) ]*)\)`).FindAllStringSubmatch(line, -1) {
			s.Shows(link[2])
		}
		for _, tag := range regexp.MustCompile(`<[a-z][^>]*>`).FindAllString(line, -1) {
			s.Shows(tag)
		}
	}
	s.quit()
	checkRaw(t, "links", unmeasured(s.raw.String()))
}

// The vectors differ: none is the empty string, or there twice.
func TestVectors(t *testing.T) {
	v := vectors(t)
	slices.Sort(v)
	if n := len(slices.Compact(v)); n < 60 {
		t.Errorf("only %d vectors", n)
	}
}
