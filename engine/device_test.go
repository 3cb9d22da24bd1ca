package engine_test

import (
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
