package view_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agentstudio/engine"
	"agentstudio/engine/view"
)

func at(seq int, cause int, run string, p engine.Payload) engine.Event {
	return engine.Event{ID: engine.EventID(fmt.Sprintf("evt_%d", seq)), Session: "ses_1", Seq: engine.Seq(seq), Cause: engine.Seq(cause), Run: engine.RunID(run),
		At: time.Date(2026, 1, 1, 0, 0, 0, seq*1e6, time.UTC), Payload: p}
}

// story draws a random log: well formed enough to mean something, odd enough to find what only
// tidy logs hide.
func story(t *rapid.T) []engine.Event {
	var log []engine.Event
	n := rapid.IntRange(1, 60).Draw(t, "events")
	text := rapid.StringN(0, 40, -1)
	id := func(prefix string) string { return fmt.Sprintf("%s_%d", prefix, rapid.IntRange(1, 3).Draw(t, prefix)) }
	actor := engine.Actor{Screen: "tui", Name: "somebody"}
	for i := 1; i <= n; i++ {
		msg, call, apr := engine.MessageID(id("msg")), engine.CallID(id("call")), engine.ApprovalID(id("apr"))
		payloads := []engine.Payload{
			engine.SessionStarted{Title: text.Draw(t, "title"), Workspace: "~/w", Version: "1"},
			engine.CatalogLoaded{Skills: []engine.Skill{{Name: "a", Path: "p/a", State: engine.SkillOK, Diagnostics: []engine.Diagnostic{}}, {Name: "b", Path: "p/b", State: engine.SkillBroken, Diagnostics: []engine.Diagnostic{{Message: "x"}}}},
				Tools: []engine.ToolEntry{{Name: "read", Policy: engine.Allow}}},
			engine.ModelConfigured{ModelInfo: engine.ModelInfo{ID: text.Draw(t, "model")}},
			engine.UserMessage{Message: msg, Text: text.Draw(t, "text"), Delivery: rapid.SampledFrom([]string{"prompt", "followUp"}).Draw(t, "how"), By: actor},
			engine.UserDelivered{Message: msg}, engine.UserWithdrawn{Message: msg, By: actor},
			engine.RunStarted{Run: "run_1", Budget: engine.DefaultBudget()}, engine.TurnStarted{Turn: i, ContextTokens: 7},
			engine.AssistantStarted{Message: msg}, engine.AssistantDelta{Message: msg, Delta: text.Draw(t, "delta")},
			engine.ReasoningDelta{Message: msg, Delta: text.Draw(t, "thought")},
			engine.AssistantCompleted{Message: msg, StopReason: engine.StopEnd, Interrupted: rapid.Bool().Draw(t, "cut")},
			engine.TurnCompleted{Turn: i},
			engine.ModelRetrying{Attempt: 2, DelayMS: 1500, Code: engine.ModelServer, Reason: "500"}, engine.CompactionStarted{Reason: "overflow", Before: 9},
			engine.CompactionCompleted{Before: 9, After: 4}, engine.CompactionFailed{Code: engine.ModelServer, Message: "m"},
			engine.ToolRequested{Call: call, Tool: "read", Arguments: json.RawMessage(`{"path":"a/b"}`)},
			engine.ToolStarted{Call: call, Tool: "read"}, engine.ToolCompleted{Call: call, Tool: "read", Content: text.Draw(t, "content"), Data: json.RawMessage(`{"n":1}`)},
			engine.ToolFailed{Call: call, Tool: "read", Code: engine.ToolTimeout, Message: "slow"}, engine.ToolDenied{Call: call, Tool: "read", Code: engine.PolicyDenied, Message: "no"},
			engine.ApprovalRequired{Approval: apr, Call: call, Tool: "save", Arguments: json.RawMessage(`{}`), Digest: "abcd", ExpiresAt: engine.Instant{Time: time.Unix(9, 0).UTC()}},
			engine.ApprovalExtended{Approval: apr, ExpiresAt: engine.Instant{Time: time.Unix(99, 0).UTC()}, By: actor},
			engine.ApprovalResolved{Approval: apr, Status: engine.Denied, By: actor},
			engine.SkillRequested{Name: "a"}, engine.SkillLoaded{Name: "a"},
			engine.ArtifactReady{Artifact: engine.Artifact{ID: id("art"), Name: id("name")}},
			engine.AttachmentAdded{Attachment: engine.Attachment{ID: id("att")}, By: actor}, engine.AttachmentRemoved{ID: id("att")},
			engine.Notice{Code: "ANSWER_CUT", Message: "m"}, engine.BudgetWarned{Which: "turns", Used: "16", Limit: "20"},
			engine.RunCompleted{Turns: 2}, engine.RunFailed{Code: engine.NoProgress, Message: "m"}, engine.RunCancelledEvent{Reason: "user", By: actor},
			engine.SessionRenamed{Title: "t"}, engine.SessionClosed{Reason: "closed"}, engine.SessionResumed{},
			engine.Unknown{Type: "moon.rose", Raw: json.RawMessage(`{}`)},
		}
		run := ""
		if rapid.Bool().Draw(t, "inRun") {
			run = "run_1"
		}
		log = append(log, at(i, rapid.IntRange(0, i-1).Draw(t, "cause"), run, payloads[rapid.IntRange(0, len(payloads)-1).Draw(t, "kind")]))
	}
	return log
}

func fold(t interface{ Fatal(...any) }, s *view.State, log []engine.Event) {
	for _, e := range log {
		if _, err := s.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
}

func bytesOf(t interface{ Fatal(...any) }, s *view.State) string {
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A snapshot with the events after it equals the whole, at every place it can be cut, also when
// the events have been through the journal's encoding.
func TestSnapshotPlusTailIsTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := story(t)
		var whole view.State
		snapshots := []string{bytesOf(t, &whole)}
		for _, e := range log {
			fold(t, &whole, []engine.Event{e})
			snapshots = append(snapshots, bytesOf(t, &whole))
		}
		want := bytesOf(t, &whole)
		for cut, snapshot := range snapshots {
			var s view.State
			if err := json.Unmarshal([]byte(snapshot), &s); err != nil {
				t.Fatal(err)
			}
			for _, e := range log[cut:] {
				line, err := e.AppendJSON(nil)
				if err != nil {
					t.Fatal(err)
				}
				again, err := engine.DecodeEvent(line)
				if err != nil {
					t.Fatal(err)
				}
				fold(t, &s, []engine.Event{again})
			}
			if got := bytesOf(t, &s); got != want {
				t.Fatalf("cut at %d\n got %s\nwant %s", cut, got, want)
			}
		}
	})
}

// A patch that was kept says later what it said at first, whatever was applied after it.
func TestPatchesDoNotChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s view.State
		var kept []view.Patch
		var said []string
		for _, e := range story(t) {
			p, err := s.Apply(e)
			if err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			kept, said = append(kept, p), append(said, string(b))
		}
		for i, p := range kept {
			if b, _ := json.Marshal(p); string(b) != said[i] {
				t.Fatalf("patch %d\n  was %s\n  is now %s", i+1, said[i], b)
			}
		}
	})
}

// A patch holds everything that changed: applied to copies of the lists it gives the State's.
func TestPatchesHoldEveryChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s view.State
		chat := map[string]string{}
		rows := map[engine.Seq]string{}
		for _, e := range story(t) {
			p, err := s.Apply(e)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range p.Chat {
				chat[m.ID] = text(m)
			}
			if a := p.Append; a != nil && !a.Thinking {
				chat[a.ID] += a.Text
			}
			for _, r := range p.Timeline {
				b, _ := json.Marshal(r)
				rows[r.Seq] = string(b)
			}
		}
		if len(chat) != len(s.Chat) || len(rows) != len(s.Timeline) {
			t.Fatalf("%d of %d messages, %d of %d rows", len(chat), len(s.Chat), len(rows), len(s.Timeline))
		}
		for _, m := range s.Chat {
			if chat[m.ID] != text(m) {
				t.Fatalf("%s: %q, want %q", m.ID, chat[m.ID], text(m))
			}
		}
		for _, r := range s.Timeline {
			if b, _ := json.Marshal(r); rows[r.Seq] != string(b) {
				t.Fatalf("row %d: %s, want %s", r.Seq, rows[r.Seq], b)
			}
		}
	})
}

func text(m view.Message) (s string) {
	for _, p := range m.Pieces {
		s += p
	}
	return s
}

func TestSeenAgainChangesNothingAndAHoleIsAnError(t *testing.T) {
	var s view.State
	fold(t, &s, []engine.Event{at(1, 0, "", engine.SessionStarted{}), at(2, 0, "", engine.UserMessage{Message: "m", Text: "x", Delivery: "prompt"})})
	before := bytesOf(t, &s)
	if p, err := s.Apply(at(2, 0, "", engine.UserMessage{Message: "n", Text: "y"})); err != nil || len(p.Chat) != 0 {
		t.Fatalf("seen again: %v %+v", err, p)
	}
	_, err := s.Apply(at(4, 0, "", engine.SessionClosed{}))
	if engine.CodeOf(err) != engine.EventGap || bytesOf(t, &s) != before {
		t.Fatalf("a hole: %v", err)
	}
	fold(t, &s, []engine.Event{at(5, 0, "", engine.JournalDamage{From: 3, To: 5, Reason: "zeros"}), at(6, 0, "", engine.SessionClosed{})})
	if !s.Session.Damaged || s.Seq != 6 || s.Chat[1].Code != engine.JournalDamaged {
		t.Fatalf("a told hole: %+v", s.Session)
	}
}

// Every kind of event has its case somewhere: it makes a row, and says who it concerns.
func TestEveryKindMakesARow(t *testing.T) {
	for _, kind := range engine.Kinds() {
		var e engine.Event
		in := `{"eventId":"evt_1","sessionId":"ses_1","sequence":1,"timestamp":"2026-01-01T00:00:00.000Z","type":"` + kind + `","payload":{"messageId":"m"}}`
		if err := json.Unmarshal([]byte(in), &e); err != nil {
			t.Fatal(err)
		}
		var s view.State
		fold(t, &s, []engine.Event{e})
		deltas := kind == "assistant.delta" || kind == "assistant.completed"
		if (len(s.Timeline) == 0) != deltas {
			t.Errorf("%s made %d rows", kind, len(s.Timeline))
		}
		if len(s.Timeline) == 1 && s.Timeline[0].Tone == "" {
			t.Errorf("%s has no tone", kind)
		}
	}
}

// The screens' state of a run, event by event.
func TestPhases(t *testing.T) {
	var phases view.State
	for _, tc := range []struct {
		p    engine.Payload
		want view.Phase
	}{
		{engine.SessionStarted{}, view.Idle},
		{engine.RunStarted{Run: "run_1"}, view.Running},
		{engine.ToolRequested{Call: "c"}, view.Running},
		{engine.ApprovalRequired{Approval: "a", Call: "c"}, view.Waiting},
		{engine.ApprovalRequired{Approval: "b", Call: "c"}, view.Waiting},
		{engine.ApprovalResolved{Approval: "a"}, view.Waiting},
		{engine.ApprovalResolved{Approval: "b"}, view.Running},
		{engine.RunFailed{Code: engine.NoProgress}, view.Failed},
		{engine.RunStarted{Run: "run_2"}, view.Running},
		{engine.RunCancelledEvent{}, view.Cancelled},
		{engine.RunStarted{Run: "run_3"}, view.Running},
		{engine.RunCompleted{}, view.Idle},
	} {
		fold(t, &phases, []engine.Event{at(int(phases.Seq)+1, 0, "run_1", tc.p)})
		if phases.Status.Phase != tc.want {
			t.Errorf("after %T: %s, want %s", tc.p, phases.Status.Phase, tc.want)
		}
	}
}

// A decision stays with its call: who, when, and on which arguments.
func TestDecisionStaysWithItsCall(t *testing.T) {
	var s view.State
	by := engine.Actor{Screen: "mirror", Device: "dev_1", Name: "Ada"}
	fold(t, &s, []engine.Event{
		at(1, 0, "", engine.SessionStarted{}),
		at(2, 1, "run_1", engine.RunStarted{Run: "run_1"}),
		at(3, 2, "run_1", engine.ToolRequested{Call: "c", Tool: "save"}),
		at(4, 3, "run_1", engine.ApprovalRequired{Approval: "a", Call: "c", Tool: "save", Digest: "abcd1234"}),
		at(5, 4, "run_1", engine.ApprovalResolved{Approval: "a", Status: engine.Denied, By: by, Reason: "no"}),
	})
	i, ok := s.MessageAt("c")
	if !ok {
		t.Fatal("there is no call")
	}
	c := s.Chat[i].Call
	if c.Decision != engine.Denied || *c.DecidedBy != by || c.Digest != "abcd1234" || c.Reason != "no" || !c.DecidedAt.Equal(at(5, 4, "run_1", nil).At) {
		t.Errorf("the call has %+v", c)
	}
}

// What calls to the model meet is told in the chat, and what they cost is added up exactly.
func TestCallsToTheModelAreTold(t *testing.T) {
	cost, n := "0.1", 5
	usage := engine.Usage{InputTokens: &n, CostUSD: &cost}
	var s view.State
	fold(t, &s, []engine.Event{
		at(1, 0, "", engine.SessionStarted{}),
		at(2, 1, "run_1", engine.RunStarted{Run: "run_1"}),
		at(3, 2, "run_1", engine.TurnStarted{Turn: 1, ContextTokens: 900}),
		at(4, 3, "run_1", engine.ModelRetrying{Attempt: 2, DelayMS: 1540, Code: engine.ModelRateLimited, Reason: "slow down"}),
		at(5, 3, "run_1", engine.CompactionStarted{Reason: "overflow", Before: 900}),
		at(6, 5, "run_1", engine.CompactionCompleted{Before: 900, After: 300, Usage: usage}),
		at(7, 3, "run_1", engine.TurnCompleted{Turn: 1, Usage: usage}),
		at(8, 3, "run_1", engine.TurnCompleted{Turn: 1, Usage: usage}),
	})
	if s.Status.CostUSD != "0.300000" || s.Status.Tokens != 15 || s.Status.Context != 300 {
		t.Errorf("%+v", s.Status)
	}
	if len(s.Chat) != 2 {
		t.Fatalf("%+v", s.Chat)
	}
	retry, done := s.Chat[0], s.Chat[1]
	if retry.ID != "notice4" || retry.Kind != view.OfNotice || retry.Event != "model.retrying" || retry.Pieces[0] != "slow down" || fmt.Sprint(retry.Args) != "map[attempt:2 code:MODEL_RATE_LIMITED most:3 wait:1.5]" {
		t.Errorf("%+v", retry)
	}
	if done.Event != "compaction.completed" || done.Args["before"] != "900" || done.Args["after"] != "300" {
		t.Errorf("%+v", done)
	}
}
