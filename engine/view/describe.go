package view

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"agentstudio/engine"
)

// describe gives a row what its caption names. Keys are those of the words catalogue; values are
// true texts, at most 120 runes each.
func describe(r *Row, p engine.Payload) {
	set := func(tone Tone, about string, pairs ...string) {
		r.Tone, r.About = tone, about
		if len(pairs) > 0 {
			r.Args = make(map[string]string, len(pairs)/2)
		}
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i+1] != "" {
				r.Args[pairs[i]] = engine.Label(pairs[i+1], 120)
			}
		}
	}
	if describeCall(set, p) {
		return
	}
	switch p := p.(type) {
	case engine.SessionStarted:
		set(Quiet, "", "workspace", p.Workspace)
	case engine.SessionResumed:
		run := ""
		if p.Recovered != nil {
			run = string(p.Recovered.InterruptedRun)
		}
		set(Quiet, "", "run", run)
	case engine.SessionClosed, engine.ModelCleared, engine.PromptChanged, engine.SettingsChanged:
		set(Quiet, "")
	case engine.SessionRenamed:
		set(Quiet, "", "title", p.Title)
	case engine.CatalogLoaded:
		set(Quiet, "", "skills", strconv.Itoa(len(p.Skills)), "broken", some(count(p.Skills, engine.SkillBroken)), "tools", strconv.Itoa(len(p.Tools)))
	case engine.JournalDamage:
		set(Bad, "", "from", num(p.From), "to", num(p.To), "reason", p.Reason)
	case engine.JournalRepaired:
		set(Quiet, "", "from", num(p.From), "to", num(p.To), "reason", p.Reason)
	case engine.ModelConfigured:
		set(Quiet, "", "model", p.ID, "provider", p.Provider)
	case engine.UserMessage:
		set(Person, string(p.Message), "text", title(p), "delivery", p.Delivery)
	case engine.UserDelivered:
		set(Person, string(p.Message))
	case engine.UserWithdrawn:
		set(Quiet, string(p.Message), "reason", p.Reason)
	case engine.RunStarted:
		set(Plain, "", "model", p.Model)
	case engine.TurnStarted:
		set(Plain, "", "turn", strconv.Itoa(p.Turn), "tokens", strconv.Itoa(p.ContextTokens))
	case engine.TurnCompleted:
		out := ""
		if p.Usage.OutputTokens != nil {
			out = strconv.Itoa(*p.Usage.OutputTokens)
		}
		set(Quiet, "", "turn", strconv.Itoa(p.Turn), "out", out, "stop", string(p.StopReason))
	case engine.ModelRetrying:
		set(Asking, "", "attempt", strconv.Itoa(p.Attempt), "most", strconv.Itoa(engine.MaxTries), "wait", seconds(p.DelayMS), "code", string(p.Code))
	case engine.CompactionStarted:
		set(Plain, "", "why", p.Reason)
	case engine.CompactionCompleted:
		set(Good, "", "before", strconv.Itoa(p.Before), "after", strconv.Itoa(p.After))
	case engine.GateWaiting:
		set(Asking, "", "gate", p.Gate)
	case engine.MirrorDevice:
		what := p.What
		if known := []string{"viewer", "approver", "presenter", "operator"}; what == "changed" && slices.Contains(known, p.Role) {
			what += "." + p.Role
		}
		set(Quiet, "", "name", p.Name, "what", what)
	case engine.AttachmentAdded:
		set(Person, p.ID, "name", p.Name, "width", some(p.Width), "height", some(p.Height))
	case engine.AttachmentRemoved:
		set(Quiet, p.ID, "by", p.By.Name)
	case engine.AttachmentRejected:
		set(Bad, "", "name", p.Name, "code", string(p.Code))
	case engine.CompactionFailed:
		set(Bad, "", "code", string(p.Code))
	case engine.Notice:
		set(Asking, "", "code", string(p.Code))
	case engine.BudgetWarned:
		set(Asking, "", "which", p.Which, "used", p.Used, "limit", p.Limit)
	case engine.RunCompleted:
		set(Good, "", "turns", strconv.Itoa(p.Turns))
	case engine.RunFailed:
		set(Bad, "", "code", string(p.Code))
	case engine.RunCancelledEvent:
		set(Bad, "", "by", p.By.Name)
	}
}

func describeCall(set func(Tone, string, ...string), p engine.Payload) bool {
	switch p := p.(type) {
	case engine.ToolRequested:
		set(Plain, string(p.Call), "tool", p.Tool, "verdict", string(p.Policy.Verdict), "target", target(p))
	case engine.ToolDenied:
		set(Bad, string(p.Call), "tool", p.Tool, "code", string(p.Code))
	case engine.ToolStarted:
		set(Quiet, string(p.Call), "tool", p.Tool)
	case engine.ToolCompleted:
		set(Good, string(p.Call), "tool", p.Tool, "ms", strconv.FormatInt(p.DurationMS, 10))
	case engine.ToolFailed:
		set(Bad, string(p.Call), "tool", p.Tool, "code", string(p.Code))
	case engine.SkillRequested:
		set(OfSkill, "", "name", p.Name)
	case engine.SkillLoaded:
		set(OfSkill, "", "name", p.Name)
	case engine.ApprovalRequired:
		set(Asking, string(p.Call), "tool", p.Tool)
	case engine.ApprovalExtended:
		set(Asking, "", "by", p.By.Name)
	case engine.ApprovalResolved:
		tone := Good
		if p.Status != engine.Approved {
			tone = Bad
		}
		set(tone, "", "status", string(p.Status), "by", p.By.Name, "screen", p.By.Screen)
	case engine.ArtifactReady:
		set(Good, "", "name", p.Name, "bytes", strconv.FormatInt(p.Bytes, 10))
	default:
		return false
	}
	return true
}

// target is the last element of the path argument of a call, for its caption.
func target(p engine.ToolRequested) string {
	_, rest, ok := strings.Cut(string(p.Arguments), `"path":"`)
	if !ok {
		return ""
	}
	path, _, _ := strings.Cut(rest, `"`)
	return path[strings.LastIndexAny(path, `/:`)+1:]
}

func count(skills []engine.Skill, state engine.SkillState) (n int) {
	for _, s := range skills {
		if s.State == state {
			n++
		}
	}
	return n
}

// some is a count, "" for none, so that the caption leaves it out.
func some(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// seconds is a time as people read it: 0.8, 2, 1.5.
func seconds(ms int64) string {
	return strconv.FormatFloat(math.Round(float64(ms)/100)/10, 'f', -1, 64)
}

func num(s engine.Seq) string { return strconv.FormatUint(uint64(s), 10) }
