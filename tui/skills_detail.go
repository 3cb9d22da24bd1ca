package tui

import (
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

// openEntry shows what is chosen in the skills pane.
func (m *Model) openEntry() tea.Cmd {
	e, ok := m.skills.entry(m)
	if !ok {
		return nil
	}
	switch e.kind {
	case aSkill:
		return m.showSkill(m.state.Skills[e.n])
	case aTool:
		m.cover(&viewer{title: m.state.Tools[e.n].Name, text: m.toolDetail(m.state.Tools[e.n])})
	case anAttachment:
		a := m.state.Attachments[e.n]
		if a.Width > 0 {
			return m.openPicture([]string{a.ID}, 0)
		}
		m.say(m.text("ui.fileAbout", "name", a.Name, "mime", firstText(a.MIME, a.Kind), "size", sizeText(a.Bytes)))
	case anArtifact:
		return m.showArtifact(m.state.Artifacts[e.n])
	}
	return nil
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// showSkill tells of a skill, and shows its file below that.
func (m *Model) showSkill(s view.Skill) tea.Cmd {
	v := &viewer{title: s.Name, head: m.skillDetail(s)}
	m.cover(v)
	if s.Location == "" {
		v.head += "\n\n" + m.text("ui.detailNoFile")
		return nil
	}
	v.note = m.text("ui.viewReading")
	return m.readRef(engine.Ref{Skill: s.Location}, v.filled)
}

// filled takes what has been read into the viewer, or says why it could not be.
func (v *viewer) filled(m *Model, text string, left bool, err error) tea.Cmd {
	v.note = ""
	if left {
		v.note = m.text("ui.viewCut", "size", sizeText(maxShown))
	}
	if err != nil {
		v.head = strings.TrimLeft(v.head+"\n\n"+m.text("ui.viewUnread", "why", m.errorText(err)), "\n")
	}
	v.fill(text)
	return nil
}

// skillDetail is all that is known of a skill beside its file.
func (m *Model) skillDetail(s view.Skill) string {
	_, _, _, state := m.light(s)
	source := s.Source
	if words.Has("source." + source) {
		source = m.text("source." + source)
	}
	path := firstText(s.Location, s.Path)
	lines := []string{s.Description, "", state, m.text("ui.detailSource", "source", source, "path", path)}
	entry := ""
	if s.Offered() {
		entry = thousands(engine.EstimateTokens(s.Name + s.Description + s.Location + entryMarks))
	}
	if s.Tokens > 0 {
		lines = append(lines, m.text("ui.detailTokens", "body", thousands(s.Tokens), "entry", entry))
	}
	if s.Hidden {
		lines = append(lines, m.text("ui.detailHidden"))
	}
	for _, d := range s.Diagnostics {
		text := d.Message
		if d.Line > 0 {
			text = m.text("ui.atLine", "text", d.Message, "line", strconv.Itoa(d.Line))
		}
		lines = append(lines, m.theme.Broken+" "+text)
	}
	return strings.Join(lines, "\n")
}

// entryMarks are what the model's list puts around a skill's name, description and location.
const entryMarks = "<skill><name></name><description></description><location></location></skill>\n"

// toolDetail is a tool's policy, why that is so, and what became of its calls.
func (m *Model) toolDetail(tool view.Tool) string {
	lines := []string{m.text("ui.detailPolicy", "verdict", m.text("word."+string(tool.Policy)))}
	var calls []string
	for _, msg := range m.state.Chat {
		c := msg.Call
		if c == nil || c.Tool != tool.Name {
			continue
		}
		if len(calls) == 0 && c.Policy.Rule != "" {
			lines = append(lines, m.text("ui.detailRule", "rule", m.known(c.Policy.Rule), "source", m.known(c.Policy.Source)))
		}
		glyph, _ := m.cardSign(msg)
		state := m.text("state." + msg.State)
		if how := m.cardState(msg); how != state {
			state += "  " + m.theme.Sep + "  " + how
		}
		if msg.Code != "" {
			state += "  " + m.theme.Sep + "  " + string(msg.Code)
		}
		calls = append(calls, "  "+num(msg.Seq)+"  "+glyph+" "+state+"  "+m.target(c))
	}
	if key := "replay." + string(tool.Replay); words.Has(key) {
		lines = append(lines, m.text("ui.detailReplay", "replay", m.text(key)))
	}
	if len(calls) == 0 {
		return strings.Join(append(lines, "", m.text("ui.detailNoCalls")), "\n")
	}
	lines = append(lines, "", m.text("ui.detailCalls", "n", strconv.Itoa(len(calls))))
	return strings.Join(append(lines, calls...), "\n")
}

// showArtifact shows what the agent made: Markdown as it reads, other text as it is.
func (m *Model) showArtifact(a engine.Artifact) tea.Cmd {
	md := strings.HasPrefix(a.MIME, "text/markdown") || strings.HasSuffix(a.Name, ".md")
	v := &viewer{title: a.Name, note: m.text("ui.viewReading"), md: md, code: !md}
	m.cover(v)
	return m.readRef(engine.Ref{Artifact: a.ID}, func(m *Model, text string, left bool, err error) tea.Cmd {
		if err == nil && binary(text, left) {
			v.head = m.text("ui.viewBinary", "mime", firstText(a.MIME, "?"), "size", sizeText(a.Bytes))
			text = ""
		}
		return v.filled(m, text, left, err)
	})
}

// binary tells whether what was read is no text. Its end may be half a letter, if there is more.
func binary(text string, left bool) bool {
	for left && text != "" && !utf8.RuneStart(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	if left && text != "" {
		text = text[:len(text)-1]
	}
	return strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text)
}
