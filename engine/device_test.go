package engine_test

import (
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
)

// Who is let in at the mirror is an event; what is no such thing is refused.
func TestDevice(t *testing.T) {
	b := open(t, engine.Config{}, say("hi"))
	by := engine.Actor{Screen: "mirror", Device: "dev_1", Name: "Ada"}
	if _, err := b.s.Do(t.Context(), engine.Device{ID: "dev_1", Name: "Ada\n\x1b and a name that goes on and on", Role: "viewer", What: "paired", By: by}); err != nil {
		t.Fatal(err)
	}
	got := find[engine.MirrorDevice](t, b.untilKind("mirror.device"))
	if want := (engine.MirrorDevice{Device: "dev_1", Name: "Ada and a name that goes", Role: "viewer", What: "paired", By: by}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	_, err := b.s.Do(t.Context(), engine.Device{ID: "dev_1", What: "crowned"})
	wantCode(t, err, engine.InvalidCommand)
	_ = b.s.Close()
	_, err = b.s.Do(t.Context(), engine.Device{ID: "dev_1", What: "revoked"})
	wantCode(t, err, engine.SessionClosedCode)
}

// More time is given by people at a screen, and by nobody else.
func TestWhoMayExtend(t *testing.T) {
	b := open(t, with(saver()), call(toolCall("call_1", "save", `{}`)), say("done"))
	b.send("go")
	a := find[engine.ApprovalRequired](t, b.untilKind("approval.required"))
	for screen, want := range map[string]engine.Code{"tui": "", "mirror": "", "cli": engine.NotAllowed, "policy": engine.NotAllowed} {
		_, err := b.s.Do(t.Context(), engine.Extend{Approval: a.Approval, More: time.Minute, By: engine.Actor{Screen: screen}})
		if engine.CodeOf(err) != want {
			t.Errorf("%s: %v", screen, err)
		}
	}
}

// A trial tells what a decision would come to, and decides nothing.
func TestTrial(t *testing.T) {
	b := open(t, with(saver()), call(toolCall("call_1", "save", `{}`)), say("done"))
	b.send("go")
	a := find[engine.ApprovalRequired](t, b.untilKind("approval.required"))
	try := func(id engine.ApprovalID, digest string, approve bool) (engine.Receipt, error) {
		return b.s.Do(t.Context(), engine.Decide{Approval: id, Digest: digest, Approve: approve, By: engine.Actor{Screen: "tui"}, Trial: true})
	}
	for range 2 {
		if r, err := try(a.Approval, a.Digest, true); err != nil || r != (engine.Receipt{}) {
			t.Errorf("open: %+v, %v", r, err)
		}
	}
	_, err := try(a.Approval, a.Digest[:8], true)
	wantCode(t, err, engine.ApprovalMismatch)
	if !strings.Contains(engine.MessageOf(err), "has to name all 64") {
		t.Errorf("a cut digest: %v", err)
	}
	_, err = try(a.Approval, strings.Repeat("0", 64), true)
	wantCode(t, err, engine.ApprovalMismatch)
	_, err = try("apr_nothing", a.Digest, true)
	wantCode(t, err, engine.ApprovalNotFound)
	if _, err := b.s.Do(t.Context(), engine.Decide{Approval: a.Approval, Digest: a.Digest, Approve: true, By: engine.Actor{Screen: "tui"}}); err != nil {
		t.Fatal(err)
	}
	if r, err := try(a.Approval, a.Digest, true); err != nil || !r.AlreadyResolved || r.Resolution.Status != engine.Approved {
		t.Errorf("decided: %+v, %v", r, err)
	}
	_, err = try(a.Approval, a.Digest, false)
	wantCode(t, err, engine.ApprovalAlreadyResolved)
}
