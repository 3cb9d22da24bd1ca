package main

import (
	"strconv"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/words"
)

// tell prints an event as a line: what the agent says line by line, a question with all that it is
// about and its numbered choices, and everything else as its caption.
func (p *plain) tell(e engine.Event) error {
	patch, err := p.state.Apply(e)
	if err != nil {
		return err
	}
	switch x := e.Payload.(type) {
	case engine.AssistantDelta:
		p.said.WriteString(x.Delta)
		whole, rest, ok := cutLast(p.said.String(), "\n")
		if ok {
			p.said.Reset()
			p.said.WriteString(rest)
			p.say("label.agent", whole)
		}
	case engine.AssistantCompleted:
		if p.said.Len() > 0 {
			p.say("label.agent", p.said.String())
			p.said.Reset()
		}
	case engine.AssistantStarted, engine.ReasoningDelta:
	case engine.Notice:
		text := x.Message
		if key := "code." + string(x.Code); p.s.lang != words.English && words.Has(key) {
			text = p.text(key, "said", x.Said)
		}
		p.say("label.notice", text)
	case engine.UserMessage:
		p.say("label.you", x.Text)
		for _, a := range x.Attachments {
			p.say("label.you", p.text("plain.picture", "name", a.Name, "width", strconv.Itoa(a.Width), "height", strconv.Itoa(a.Height)))
		}
	default:
		for _, r := range patch.Timeline {
			if caption := words.Caption(p.s.lang, r.Kind, r.Args); caption != "" && r.Seq == e.Seq {
				p.print("%s %d: %s\n", p.text(labelOf(r.Kind)), r.Seq, safe.Text(caption, safe.Inline))
			}
		}
	}
	if patch.Approvals != nil {
		p.question()
	}
	return nil
}

// cutLast cuts at the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(sep):], true
}

// question shows the oldest open question when it is a new one.
func (p *plain) question() {
	if len(p.state.Approvals) == 0 {
		p.asked = ""
		return
	}
	a := p.state.Approvals[0]
	if a.Approval == p.asked {
		p.say("label.approval", p.text("plain.until", "at", a.ExpiresAt.Local().Format("15:04:05")))
		return
	}
	p.asked = a.Approval
	risk := a.Summary
	if key := "risk." + a.Risk; a.Risk != "" && words.Has(key) {
		risk = p.text(key)
	}
	p.say("label.approval", a.Tool+": "+risk)
	shown := a.Preview
	if shown == "" {
		shown = string(a.Arguments)
	}
	for line := range strings.Lines(string(safe.Text(strings.TrimRight(shown, "\n"), safe.Approval)) + "\n") {
		p.print("  | %s\n", strings.TrimRight(line, "\n"))
	}
	p.say("label.approval", p.text("plain.asks", "digest", a.Digest[:min(8, len(a.Digest))], "at", a.ExpiresAt.Local().Format("15:04:05")))
	p.say("label.approval", p.text("plain.choices"))
	p.askedAt = p.now() // writing may have taken long
}

// labelOf is the key of the word before an event of a kind.
func labelOf(kind string) string {
	first, _, _ := strings.Cut(kind, ".")
	switch first {
	case "user":
		return "label.you"
	case "assistant", "reasoning":
		return "label.agent"
	case "tool", "skill", "approval", "run", "session":
		return "label." + first
	case "turn", "model":
		return "label.run"
	case "artifact", "attachment":
		return "label.file"
	}
	return "label.notice"
}
