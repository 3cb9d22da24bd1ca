package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

// tape is a log made by hand and the Session that plays it: any event, any text, no engine.
type tape struct {
	events   []engine.Event
	at       time.Time
	run      engine.RunID
	began    engine.Seq // the run
	readOnly error
}

func newTape() *tape {
	return &tape{at: time.Date(2026, 3, 4, 10, 2, 0, 0, time.UTC)}
}

// add appends an event, a tenth of a second after the one before, and gives its number.
func (l *tape) add(cause engine.Seq, p engine.Payload) engine.Seq {
	seq := engine.Seq(len(l.events) + 1)
	l.at = l.at.Add(100 * time.Millisecond)
	l.events = append(l.events, engine.Event{ID: engine.EventID(fmt.Sprintf("evt_%d", seq)), Session: "ses_1", Seq: seq, At: l.at, Run: l.run, Cause: cause, Payload: p})
	return seq
}

func (l *tape) ID() engine.SessionID { return "ses_1" }
func (l *tape) ReadOnly() error      { return l.readOnly }

func (l *tape) Do(context.Context, engine.Command) (engine.Receipt, error) {
	return engine.Receipt{}, nil
}

func (l *tape) Read(context.Context, engine.Ref) (io.ReadCloser, error) {
	return nil, engine.Errorf(engine.RefNotFound, "a tape holds nothing else")
}

// Follow gives all there is and then waits for the context's end, as a quiet session does.
func (l *tape) Follow(ctx context.Context, after engine.Seq) iter.Seq2[[]engine.Event, error] {
	return func(yield func([]engine.Event, error) bool) {
		if rest := l.events[after:]; len(rest) > 0 && !yield(rest, nil) {
			return
		}
		<-ctx.Done()
	}
}

// still makes a Model that has taken the whole tape, at a size, with the clock at the tape's end.
func (l *tape) still(set setup) *Model {
	o := Options{Session: l, Lang: set.lang, Theme: set.theme, ASCII: set.ascii, Prompt: func(words.Lang) string { return "the demo prompt" }, Script: "ads-report",
		Now: func() time.Time { return l.at.Add(time.Second) }}
	m := New(context.Background(), o)
	m.Update(tea.WindowSizeMsg{Width: set.w, Height: set.h})
	m.Update(eventsMsg{m.o.Session, l.events})
	return m
}

// picture is the plain text of what a Model shows.
func picture(m *Model) string { return ansi.Strip(m.View().Content) }

// play shows the tape in the real program and waits until all of it was taken.
func play(t *testing.T, set setup, l *tape) *screen {
	t.Helper()
	s := &screen{t: t, now: &handNow{now: l.at.Add(time.Second)}, em: vt.NewEmulator(set.w, set.h),
		marks: make(chan struct{}, 64), painted: make(chan struct{}), done: make(chan error, 1)}
	s.shown = l
	s.run(set)
	t.Cleanup(s.quit)
	s.await("the tape was never shown", func(string) bool {
		var seq engine.Seq
		s.on(func(m *Model) { seq = m.state.Seq })
		return seq == l.events[len(l.events)-1].Seq
	})
	return s
}

// texts are what stands in each field of a story that reaches the screen.
type texts struct {
	user, answer, reasoning, tool, argument, result, failure string
	skill, description, diagnostic, artifact, title, actor   string
	preview, model, workspace                                string
}

func all(s string) texts {
	return texts{s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s}
}

// plainTexts are those of the demo, roughly.
func plainTexts() texts {
	return texts{
		user:      "Use the ads-analysis skill to look at demo-account over the last 7 days.",
		answer:    "**Summary**\n\nROAS is 2.33; two campaigns need work:\n\n- Prospecting-CN: CPA is 3.2 times the target.\n- Video-Awareness: CTR 0.21%.\n\n```go\nfmt.Println(\"hi\") // done\n```\n\n| a | b |\n|---|---|\n| 1 | `2` |\n",
		reasoning: "first the skill, then the numbers", tool: "save_report_draft", argument: "Account report demo-account", result: "saved as report.md",
		failure: "the provider answered 500", skill: "ads-analysis", description: "Analyses an ad account over the last days and says which campaigns need attention.",
		diagnostic: "no description", artifact: "report.md", title: "demo", actor: "Lena", preview: "# Account report\n\nROAS 2.33, 786 conversions.\n\n## Campaigns\n\nProspecting-CN\n",
		model: "demo-script", workspace: "~/demo",
	}
}

// opening is a session with its skills, tools and model.
func (l *tape) opening(x texts) {
	l.add(0, engine.SessionStarted{Title: x.title, Workspace: x.workspace, Version: "1"})
	diagnostic := []engine.Diagnostic{{Severity: "warning", Code: "X", Message: x.diagnostic, Path: "SKILL.md", Line: 3}}
	l.add(0, engine.CatalogLoaded{
		Skills: []engine.Skill{
			{Name: x.skill, Description: x.description, Source: "bundled", Path: "a", State: engine.SkillOK, Tokens: 1200},
			{Name: "report-writer", Description: "Writes the account report with its four fixed parts.", Source: "bundled", Path: "b", State: engine.SkillWarned, Tokens: 793, Diagnostics: diagnostic},
			{Name: x.skill + "2", Description: x.description, Source: "project", Path: "c", State: engine.SkillBroken, Diagnostics: diagnostic},
			{Name: x.skill, Description: x.description, Source: x.title, Path: "d", State: engine.SkillShadowed},
		},
		Diagnostics: diagnostic,
		Tools:       []engine.ToolEntry{{Name: "read", Policy: engine.Allow}, {Name: x.tool, Policy: engine.Ask}, {Name: "rm", Policy: engine.Deny}},
	})
	l.add(0, engine.ModelConfigured{ModelInfo: engine.ModelInfo{Provider: "scripted", ID: x.model, Images: true, ContextWindow: 32000}})
}

// running is a run whose answer has begun.
func (l *tape) running(x texts) (turn engine.Seq) {
	said := l.add(0, engine.UserMessage{Message: "msg_1", Text: x.user, Delivery: "prompt", By: engine.Actor{Screen: "mirror", Name: x.actor}})
	l.run = "run_1"
	run := l.add(said, engine.RunStarted{Run: "run_1", Budget: engine.DefaultBudget(), Model: x.model})
	l.began = run
	turn = l.add(run, engine.TurnStarted{Turn: 1, ContextTokens: 2500})
	a := l.add(turn, engine.AssistantStarted{Message: "msg_2"})
	for _, piece := range cuts(x.reasoning, 7) {
		l.add(a, engine.ReasoningDelta{Message: "msg_2", Delta: piece})
	}
	for _, piece := range cuts(x.answer, 7) {
		l.add(a, engine.AssistantDelta{Message: "msg_2", Delta: piece})
	}
	return turn
}

// asking is a run that waits for a person.
func (l *tape) asking(x texts) (call engine.Seq) {
	turn := l.running(x)
	l.add(turn, engine.AssistantCompleted{Message: "msg_2", StopReason: engine.StopToolUse, ToolCalls: 2})
	args, _ := json.Marshal(map[string]string{"path": "skill:" + x.skill + "/SKILL.md"})
	r := l.add(turn, engine.ToolRequested{Call: "call_1", Tool: "read", Arguments: args, Policy: engine.Judgement{Verdict: engine.Allow, Rule: "allow read", Source: "built in"}})
	l.add(r, engine.SkillRequested{Name: x.skill, Path: x.skill})
	l.add(r, engine.ToolStarted{Call: "call_1", Tool: "read"})
	l.add(r, engine.ToolCompleted{Call: "call_1", Tool: "read", Content: x.result, DurationMS: 2})
	l.add(r, engine.SkillLoaded{Name: x.skill, Path: x.skill})
	w := l.add(turn, engine.ToolRequested{Call: "call_w", Tool: x.tool + "x", RawArguments: x.argument, Policy: engine.Judgement{Verdict: engine.Deny}})
	l.add(w, engine.ToolDenied{Call: "call_w", Tool: x.tool + "x", Code: engine.ToolUnknown, Message: x.failure})
	args, _ = json.Marshal(map[string]string{"title": x.argument, "markdown": x.argument})
	call = l.add(turn, engine.ToolRequested{Call: "call_2", Tool: x.tool, Arguments: args, Policy: engine.Judgement{Verdict: engine.Ask, Rule: "ask " + x.tool, Source: "built in", Matched: x.tool}})
	l.add(turn, engine.TurnCompleted{Turn: 1, StopReason: engine.StopToolUse})
	l.add(call, engine.ApprovalRequired{Approval: "apr_1", Call: "call_2", Tool: x.tool, Arguments: args, Summary: x.argument, Risk: "writesReport", Preview: x.preview,
		Digest: "7f3a91c2aa", ExpiresAt: engine.Instant{Time: l.at.Add(5 * time.Minute)}})
	return call
}

// ended is a run after its question was answered.
func (l *tape) ended(x texts, how engine.ApprovalStatus) {
	call := l.asking(x)
	l.add(call, engine.ApprovalResolved{Approval: "apr_1", Status: how, By: engine.Actor{Screen: "mirror", Name: x.actor}, WaitedMS: 4200})
	switch how {
	case engine.Approved:
		l.add(call, engine.ToolStarted{Call: "call_2", Tool: x.tool})
		l.add(call, engine.ToolCompleted{Call: "call_2", Tool: x.tool, Content: x.result, DurationMS: 3})
		l.add(call, engine.ArtifactReady{Artifact: engine.Artifact{ID: "art_1", Name: x.artifact, Bytes: 2100}})
	case engine.Expired:
		l.add(call, engine.ToolDenied{Call: "call_2", Tool: x.tool, Code: engine.ApprovalExpired, Message: "nobody decided in time"})
	default:
		l.add(call, engine.ToolDenied{Call: "call_2", Tool: x.tool, Code: engine.ApprovalDenied, Message: "denied by " + x.actor + ": not today"})
	}
	n := 1
	t := l.add(l.began, engine.TurnStarted{Turn: 2, ContextTokens: 3100})
	l.add(t, engine.AssistantStarted{Message: "msg_3"})
	l.add(t, engine.AssistantDelta{Message: "msg_3", Delta: "That is all for today."})
	l.add(t, engine.AssistantCompleted{Message: "msg_3", StopReason: engine.StopEnd})
	l.add(t, engine.TurnCompleted{Turn: 2, StopReason: engine.StopEnd, Usage: engine.Usage{InputTokens: &n, OutputTokens: &n}})
	l.add(l.began, engine.RunCompleted{Turns: 2})
	l.run = ""
}

// failed is a run that the provider ended.
func (l *tape) failed(x texts) {
	turn := l.running(x)
	l.add(turn, engine.AssistantCompleted{Message: "msg_2", Interrupted: true})
	l.add(turn, engine.ModelRetrying{Attempt: 1, Code: engine.ModelServer, Reason: x.failure})
	l.add(turn, engine.Notice{Code: "USAGE_UNKNOWN", Message: x.failure})
	l.add(0, engine.AttachmentAdded{Attachment: engine.Attachment{ID: "att_1", Name: x.artifact, Bytes: 1234567, Kind: "image"}, By: engine.Actor{Name: x.actor}})
	l.add(0, engine.AttachmentRejected{Name: x.artifact, Code: engine.FileTooLarge, Message: x.failure})
	l.add(l.began, engine.RunFailed{Code: engine.ModelServer, Message: x.failure})
	l.run = ""
}

func cuts(s string, n int) (pieces []string) {
	for len(s) > n && len(pieces) < 40 {
		pieces, s = append(pieces, s[:n]), s[n:]
	}
	return append(pieces, s)
}

// storyNames are the states a screen can be in.
func storyNames() []string {
	return []string{"idle", "running", "approval", "approved", "denied", "expired", "failed"}
}

// story is a session in one of these states.
func story(name string, x texts) *tape {
	l := newTape()
	l.opening(x)
	switch name {
	case "running":
		l.running(x)
	case "approval":
		l.asking(x)
	case "approved":
		l.ended(x, engine.Approved)
	case "denied":
		l.ended(x, engine.Denied)
	case "expired":
		l.ended(x, engine.Expired)
	case "failed":
		l.failed(x)
	}
	return l
}

func press(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }

func decode(t *testing.T, s string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), into); err != nil {
		t.Fatal(err)
	}
}
