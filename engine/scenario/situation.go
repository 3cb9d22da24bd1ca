package scenario

import (
	"encoding/json"
	"strings"
	"unicode"

	"agentstudio/engine"
)

// situation is what a request says about how far things are. It is made anew for each request and
// from nothing else, so that the scripted model goes on from a replayed log as if nothing happened.
type situation struct {
	prompt  engine.Message
	turn    int // since the prompt, from 1
	attempt int // of this turn, from 1
	calls   []made
	request engine.Request
}

// made is a call since the prompt and what came of it; no result yet is nil.
type made struct {
	tool   string
	args   json.RawMessage
	result *engine.Message
}

func readRequest(r engine.Request) situation {
	s := situation{request: r, attempt: max(r.Attempt, 1), turn: 1}
	messages := r.Messages
	if at := findPrompt(r); at >= 0 {
		s.prompt, messages = r.Messages[at], r.Messages[at+1:]
	}
	index := map[engine.CallID]int{}
	for i, m := range messages {
		switch m.Role {
		case engine.RoleAssistant:
			if isNote(messages, i+1) {
				break // an answer that was cut is not a turn: the turn is tried again
			}
			s.turn++
			for _, c := range m.Calls {
				index[c.ID] = len(s.calls)
				s.calls = append(s.calls, made{tool: c.Tool, args: c.Args})
			}
		case engine.RoleTool:
			if at, ok := index[m.Reply]; ok {
				s.calls[at].result = &messages[i]
			}
		}
	}
	for i := len(messages) - 1; i > 0 && isNote(messages, i); i -= 2 {
		s.attempt++
	}
	return s
}

// findPrompt gives the index of the message that the scenario answers: the newest of a person
// that is neither a word thrown in while the run worked (it follows a tool result of this run)
// nor the engine's note about a cut answer. -1 when compaction has taken it away.
func findPrompt(r engine.Request) int {
	answers := 0
	for i := len(r.Messages) - 1; i >= 0; i-- {
		switch r.Messages[i].Role {
		case engine.RoleAssistant:
			answers++
		case engine.RoleUser:
			if !isNote(r.Messages, i) && (answers >= r.Turn-1 || !followsResult(r.Messages, i)) {
				return i
			}
		}
	}
	return -1
}

// isNote tells whether message i is the engine's own word about the cut answer before it: the two
// come from one event.
func isNote(messages []engine.Message, i int) bool {
	if i < 1 || i >= len(messages) || messages[i].Role != engine.RoleUser {
		return false
	}
	before := messages[i-1]
	return before.Role == engine.RoleAssistant && before.Seq != 0 && before.Seq == messages[i].Seq
}

func followsResult(messages []engine.Message, i int) bool {
	for i--; i >= 0; i-- {
		if messages[i].Role != engine.RoleUser {
			return messages[i].Role == engine.RoleTool
		}
	}
	return false
}

// newest is the last result of this tool since the prompt, of any tool for "".
func (s situation) newest(tool string) (engine.Message, bool) {
	for i := len(s.calls) - 1; i >= 0; i-- {
		if c := s.calls[i]; c.result != nil && (tool == "" || c.tool == tool) {
			return *c.result, true
		}
	}
	return engine.Message{}, false
}

// newestGood is the last result of this tool that did not fail.
func (s situation) newestGood(tool string) (engine.Message, bool) {
	for i := len(s.calls) - 1; i >= 0; i-- {
		if c := s.calls[i]; c.result != nil && c.tool == tool && !c.result.Failed {
			return *c.result, true
		}
	}
	return engine.Message{}, false
}

func (s situation) attached(kind string) bool {
	for _, a := range s.prompt.Attachments {
		if a.Kind == kind {
			return true
		}
	}
	return false
}

// language is the one to answer in: Chinese to whoever writes Chinese, else the interface's.
func (s situation) language(preferred string) string {
	if strings.ContainsFunc(s.words(), func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return "zh"
	}
	return preferred
}

// words is what of the prompt was written by people: in what the engine asks a summary of, and in
// the summary itself, skills and results stand beside it.
func (s situation) words() string {
	if s.request.Purpose != engine.PurposeSummary {
		before, _, _ := strings.Cut(s.prompt.Text, ", word for word]\n")
		return before
	}
	var b strings.Builder
	for line := range strings.Lines(s.prompt.Text) {
		if strings.HasPrefix(line, "(#") && strings.Contains(line, ") user: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// round is how many messages the user has sent up to the prompt, so that a scenario played twice
// in a session can do something else the second time.
func (s situation) round() (n int) {
	for i, m := range s.request.Messages {
		if m.Role == engine.RoleUser && !isNote(s.request.Messages, i) && m.Seq <= s.prompt.Seq {
			n++
		}
	}
	return n
}
