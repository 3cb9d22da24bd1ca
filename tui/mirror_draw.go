package tui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"rsc.io/qr"

	"agentstudio/engine/safe"
)

func (l *mirrorList) render(m *Model, w, h int) []string {
	if l.code && m.mirror.Link != "" {
		return l.large(m, w, h)
	}
	t, g, s := m.theme, m.theme.Panel, m.mirror
	if !s.On {
		out := append([]string{g.Bold.of(m.label("lobby.title")), ""}, drawn(g.Text, safe.Wrap(m.label("lobby.off"), w))...)
		return append(append(append(out, ""), l.note(m, w)...), g.Quiet.of(t.cut(m.label("lobby.offKeys"), w)))
	}
	keys := "lobby.keys"
	if s.Asking != nil {
		keys = "lobby.askKeys"
	}
	foot := append(l.note(m, w), drawn(g.Quiet, safe.Wrap(m.label(keys), w))...)
	kept := min(len(s.Devices), 1) // a device's row goes before what stands above, since keys act on it
	out := l.head(m, w, h-len(foot)-1-kept)
	l.rows = clamp(h-len(out)-len(foot)-1, 0, max(len(s.Devices), 1))
	l.follow(m)
	l.top = clamp(clamp(l.top, l.at-l.rows+1, l.at), 0, max(len(s.Devices)-l.rows, 0))
	if len(s.Devices) == 0 && l.rows > 0 {
		out = append(out, g.Quiet.of(t.cut(m.label("lobby.nobody"), w)))
	}
	for i := l.top; i < min(l.top+l.rows, len(s.Devices)); i++ {
		out = append(out, l.device(m, s.Devices[i], s.Devices[i].ID == l.on, w))
	}
	if len(out)+1+len(foot) <= h {
		out = append(out, "")
	}
	return append(out, foot...)
}

// head is what stands above the devices, in at most so many rows: who asks to be let in goes before
// everything but the title.
func (l *mirrorList) head(m *Model, w, most int) []string {
	t, g, s := m.theme, m.theme.Panel, m.mirror
	state := g.Green.of(safe.Safe(t.Dot)+" ") + g.Text.of(m.label("lobby.on", "n", strconv.Itoa(s.online())))
	out := []string{g.ends(g.Bold.of(m.label("lobby.title")), state, w), ""}
	out = append(out, g.Text.of(t.cut(safe.Text(strings.Join(s.Addresses, "   "), safe.Inline), w)))
	switch {
	case s.NearOnly():
		out = append(out, g.Quiet.of(t.cut(m.label("lobby.near"), w)))
	case s.WatchOnly():
		out = append(out, g.Amber.of(t.cut(m.label("lobby.watchOnly"), w)))
	}
	if s.Insecure {
		out = append(out, g.Pink.of(t.cut(safe.Safe(t.Broken)+" "+m.label("lobby.insecure"), w)))
	}
	out = append(out, "", l.field(m, "lobby.class", codeOf(m, s.Class), w), l.field(m, "lobby.approver", l.approver(m), w),
		l.field(m, "lobby.share", m.label("lobby.share."+s.Share), w), "")
	var asks []string
	if a := s.Asking; a != nil {
		asks = []string{g.AmberBold.of(t.cut(safe.Safe(t.Wait)+" "+m.label("lobby.asks", "name", a.Name, "address", a.Address, "time", m.until(a.Until)), w)),
			g.pad(2) + g.Text.of(t.cut(m.label("lobby.digits"), max(w-9, 1))) + g.pad(1) + g.Bold.of(safe.Text(l.digits, safe.Inline)) + g.Accent.of(safe.Safe(t.Bar)), ""}
	}
	if len(out)+len(asks) > most {
		out = slices.DeleteFunc(out, func(line string) bool { return line == "" })
		out = out[:clamp(most-len(asks), 1, len(out))]
	}
	return append(out, asks...)
}

// codeOf is a code in two groups, or that there is none.
func codeOf(m *Model, code string) safe.Safe {
	if code == "" {
		return m.label("lobby.noCode")
	}
	half := len(code) / 2
	return safe.Text(code[:half]+" "+code[half:], safe.Inline)
}

// approver is the approver's code with the time it is good for.
func (l *mirrorList) approver(m *Model) safe.Safe {
	if m.mirror.Approver == "" || !m.o.Now().Before(m.mirror.Until) {
		return m.label("lobby.noCode")
	}
	return codeOf(m, m.mirror.Approver) + "  " + safe.Text(m.until(m.mirror.Until), safe.Inline)
}

func (l *mirrorList) field(m *Model, key string, value safe.Safe, w int) string {
	t, g := m.theme, m.theme.Panel
	name := min(max(safe.Width(m.label("lobby.class")), safe.Width(m.label("lobby.approver")), safe.Width(m.label("lobby.share"))), w/2)
	return g.fit(g.Quiet.of(t.cut(m.label(key), name)), name) + g.pad(2) + g.Text.of(t.cut(value, max(w-name-2, 1)))
}

// device is a row of the list: the role stands apart from the name, which the device has chosen.
func (l *mirrorList) device(m *Model, d MirrorDevice, here bool, w int) string {
	t := m.theme
	g, mark := t.Panel, safe.Safe(" ")
	if here {
		g, mark = t.Select, safe.Safe(t.Answer)
	}
	glyph, in, state := t.Open, g.Quiet, m.label("lobby.away")
	if d.Online {
		glyph, in, state = t.Dot, g.Green, m.label("lobby.here")
	}
	role := g.fit(g.AccentBold.of(m.label("role."+d.Role)), min(11, w/4))
	left := g.AccentBold.of(mark) + g.pad(1) + role + g.pad(1) + in.of(safe.Safe(glyph)) + g.pad(1)
	about := in.of(state)
	if d.Address != "" && w >= 60 {
		about = g.Quiet.of(safe.Text(d.Address, safe.Inline)) + g.pad(2) + about
	}
	room := max(w-ansi.StringWidth(left)-ansi.StringWidth(about)-2, 1)
	return g.ends(left+g.Text.of(t.cut(safe.Text(d.Name, safe.Inline), room)), about, w)
}

// note is the question or the newest news, whole where three lines are enough: it says what to do.
func (l *mirrorList) note(m *Model, w int) []string {
	const most = 3
	in, text := l.notice(m)
	lines := safe.Wrap(text, max(w, 1))
	if len(lines) == 0 {
		return []string{""}
	}
	return drawn(in, lines[:min(len(lines), most)])
}

func (l *mirrorList) notice(m *Model) (ink, safe.Safe) {
	t, g := m.theme, m.theme.Panel
	switch {
	case l.sure == stopAll:
		return g.AmberBold, m.label("lobby.stopSure")
	case l.sure != "":
		name := l.sure
		for _, d := range m.mirror.Devices {
			if d.ID == l.sure {
				name = d.Name
			}
		}
		return g.AmberBold, m.label("lobby.revokeSure", "name", name)
	case l.bad:
		return g.Pink, safe.Safe(t.Broken) + " " + safe.Text(l.news, safe.Inline)
	}
	return g.Amber, safe.Text(l.news, safe.Inline)
}

// large shows the newest code for a room: as words and as a picture that phones read.
func (l *mirrorList) large(m *Model, w, h int) []string {
	t, g, s := m.theme, m.theme.Panel, m.mirror
	code, who := l.approver(m), "lobby.approverJoin"
	if s.Class != "" && strings.HasSuffix(s.Link, s.Class) {
		code, who = codeOf(m, s.Class), "lobby.classJoin"
	}
	picture := quick(s.Link)
	switch { // a picture that leads no phone anywhere is not drawn
	case who == "lobby.approverJoin" && code == m.label("lobby.noCode"):
		picture = nil // its time is over
	case s.NearOnly():
		who, picture = who+"Near", nil
	case s.WatchOnly() && who == "lobby.approverJoin":
		who, picture = "lobby.watchOnly", nil
	}
	address, _, _ := strings.Cut(s.Link, "/#")
	out := []string{g.Bold.of(t.cut(m.label(who), w))}
	if shown := safe.Text(address, safe.Inline); safe.Width(shown)+3+safe.Width(code) <= w {
		out = append(out, g.Text.of(shown)+g.pad(3)+g.AccentBold.of(code))
	} else { // each whole, on lines of its own
		out = append(append(out, drawn(g.Text, safe.HardWrap(shown, w))...), g.AccentBold.of(t.cut(code, w)))
	}
	switch {
	case t.plain || t.ascii || len(picture) == 0:
	case len(picture) > h-len(out) || ansi.StringWidth(picture[0]) > w:
		out = append(out, g.Quiet.of(t.cut(m.label("lobby.noRoom"), w)))
	default:
		left := (w - ansi.StringWidth(picture[0])) / 2
		for _, line := range picture {
			out = append(out, g.pad(left)+line)
		}
		if len(out) >= h { // on a small screen the picture goes before the hint
			return out
		}
	}
	return append(out, g.Quiet.of(t.cut(m.label("lobby.codeKeys"), w)))
}

// quick draws a text as a QR code, two rows of it in a line, with a quiet zone of two modules: dark on
// light whatever the theme, since not every phone reads the other way round. Nil if it is too long.
func quick(text string) (lines []string) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return nil
	}
	const quiet = 2
	in := ink{"\x1b[38;2;0;0;0;48;2;255;255;255m"}
	for y := -quiet; y < code.Size+quiet; y += 2 {
		var b strings.Builder
		for x := -quiet; x < code.Size+quiet; x++ {
			above, below := code.Black(x, y), code.Black(x, y+1) && y+1 < code.Size
			switch {
			case above && below:
				b.WriteString("█")
			case above:
				b.WriteString("▀")
			case below:
				b.WriteString("▄")
			default:
				b.WriteByte(' ')
			}
		}
		lines = append(lines, in.of(safe.Safe(b.String())))
	}
	return lines
}

// render asks the question in the middle of the screen.
func (*mirrorAsk) render(m *Model, w, _ int) []string {
	g := m.theme.Panel
	out := append([]string{g.Bold.of(m.label("lobby.title")), ""}, drawn(g.Text, safe.Wrap(m.label("lobby.follow", "n", strconv.Itoa(m.mirror.online())), w))...)
	return append(out, "", g.Quiet.of(m.label("lobby.followKeys")))
}
