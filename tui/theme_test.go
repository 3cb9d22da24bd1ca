package tui

import (
	"image/color"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

// contrast is WCAG's ratio of two colours.
func contrast(a, b color.Color) float64 {
	light := func(c color.Color) float64 {
		r, g, b, _ := c.RGBA()
		part := func(v uint32) float64 {
			x := float64(v) / 0xffff
			if x <= 0.04045 {
				return x / 12.92
			}
			return math.Pow((x+0.055)/1.055, 2.4)
		}
		return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// pair is text on a background.
type pair struct{ fore, back color.Color }

var colours = regexp.MustCompile(`([34])8;2;(\d+);(\d+);(\d+)`)

func pairOf(t *testing.T, i ink) (p pair) {
	t.Helper()
	for _, m := range colours.FindAllStringSubmatch(i.on, -1) {
		part := func(s string) uint8 {
			n, _ := strconv.Atoi(s)
			return uint8(n)
		}
		c := color.RGBA{part(m[2]), part(m[3]), part(m[4]), 255}
		if m[1] == "3" {
			p.fore = c
		} else {
			p.back = c
		}
	}
	if p.fore == nil || p.back == nil {
		t.Fatalf("%q has no two colours", i.on)
	}
	return p
}

// pairs are all that a theme can draw text in, by name. Lines and bars are no text.
func pairsOf(t *testing.T, how manner, p palette) map[string]pair {
	th := newTheme(how)
	all := map[string]pair{"Approve": pairOf(t, th.Approve), "Deny": pairOf(t, th.Deny), "Off": pairOf(t, th.Off)}
	for name, g := range map[string]ground{"Back": th.ground, "Panel": th.Panel, "Select": th.Select} {
		v := reflect.ValueOf(g)
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.Type == reflect.TypeFor[ink]() && field.Name != "Line" {
				all[field.Name+" on "+name] = pairOf(t, ink{v.Field(i).Field(0).String()})
			}
		}
	}
	style := reflect.ValueOf(markdownStyle(p, false))
	for i := range style.NumField() {
		s, ok := style.Field(i).Interface().(lipgloss.Style)
		if name := style.Type().Field(i).Name; ok && name != "Bar" && name != "Rule" {
			all["markdown "+name] = pair{s.GetForeground(), s.GetBackground()}
		}
	}
	return all
}

func TestContrast(t *testing.T) {
	for name, p := range map[string]palette{"dark": darkPalette(), "light": lightPalette(), "projector": projectorPalette()} {
		least := 4.5
		if name == "projector" {
			least = 7
		}
		for what, c := range pairsOf(t, manner{name: name}, p) {
			if r := contrast(c.fore, c.back); r < least {
				t.Errorf("%s: %s is %.2f:1", name, what, r)
			}
			fore, back := colorprofile.ANSI.Convert(c.fore), colorprofile.ANSI.Convert(c.back)
			if fore == back {
				t.Errorf("%s: %s has one colour of sixteen for text and background", name, what)
			}
		}
		if r := contrast(p.Line, p.Back); name == "projector" && r < 7 {
			t.Errorf("the projector's lines are %.2f:1", r)
		}
	}
}

// Without colours every state still has a sign and a word of its own.
func TestStatesWithoutColour(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		for _, lang := range words.Languages() {
			m := story("idle", plainTexts()).still(setup{w: 120, h: 40, lang: lang, theme: "dark", ascii: ascii})
			apart := func(kind string, shown map[string]string) {
				t.Helper()
				seen := map[string]string{}
				for state, s := range shown {
					if other, twice := seen[s]; twice {
						t.Errorf("%s ascii=%t: %s %s looks as %s does: %s", lang, ascii, kind, state, other, s)
					}
					if seen[s] = state; strings.TrimSpace(s) == "" {
						t.Errorf("%s: %s %s shows nothing", lang, kind, state)
					}
				}
			}
			phases, lights, cards := map[string]string{}, map[string]string{}, map[string]string{}
			for _, p := range []view.Phase{view.Idle, view.Running, view.Waiting, view.Failed, view.Cancelled} {
				m.state.Status.Phase = p
				glyph, word, _ := m.phase()
				phases[string(p)] = glyph + " " + word
			}
			for _, l := range []view.Light{view.Available, view.Requested, view.Loaded, view.Shadowed, view.Broken} {
				glyph, _, _, state := m.light(view.Skill{Light: l, At: 3})
				lights[string(l)] = glyph + " " + state
			}
			for _, s := range []string{view.Asked, view.Awaiting, view.Started, view.Done, view.Refused, view.Wrong} {
				cards[s] = strings.TrimSpace(stripped(m.toolCard(view.Message{Kind: view.OfTool, State: s, Call: &view.Call{Tool: "t"}}, 80)[0]))
			}
			apart("phase", phases)
			apart("skill", lights)
			apart("call", cards)
		}
	}
}

// Where the terminal has few colours or none, signs stand for backgrounds: the focused pane, the
// row under the cursor, the buttons.
func TestFewColours(t *testing.T) {
	for _, p := range []colorprofile.Profile{colorprofile.ASCII, colorprofile.ANSI} {
		s := play(t, setup{w: 160, h: 45, lang: words.English, theme: "dark", colours: p}, story("approval", plainTexts()))

		s.Press("shift+tab") // to the messages
		s.Press("shift+tab") // to the skills
		s.Shows("[SKILLS]", "[^Y approve]", "[^N deny]", "› 52")
		s.Press("tab")
		s.Shows("[CHAT]")
	}
}

// With --ascii nothing of ours needs more than ASCII.
func TestASCII(t *testing.T) {
	for _, name := range storyNames() {
		m := story(name, plainTexts()).still(setup{w: 160, h: 45, lang: words.English, theme: "dark", ascii: true})
		for _, open := range [][]overlay{nil, {&help{}}} {
			m.overlays = open
			for _, r := range picture(m) {
				if r > unicode.MaxASCII {
					t.Errorf("%s: %q on the screen:\n%s", name, r, picture(m))
					break
				}
			}
		}
	}
}

func stripped(s string) string { return regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(s, "") }
