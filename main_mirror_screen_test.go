package main

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"agentstudio/engine"
	"agentstudio/mirror"
	"agentstudio/tui"
)

// F3's mirror is off until it is switched on, serves the shown session then, and lets go of everything
// when it is switched off.
func TestTheScreensMirror(t *testing.T) {
	var ids atomic.Int64
	e := engine.New(engine.Config{Store: &engine.MemStore{}, Clock: engine.WallClock{}, NewID: func(prefix string) string { return prefix + strconv.FormatInt(ids.Add(1), 10) },
		Tools: func(engine.Env) []engine.Tool { return nil }})
	defer e.Close()
	session, err := e.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var open *engine.Session
	r := &remote{shown: func() *engine.Session { return open }, options: func() (mirror.Options, error) { return mirror.Options{}, nil }}
	defer r.close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	states := make(chan tui.MirrorState)
	go func() {
		defer close(states)
		for s := range r.Follow(ctx) {
			select {
			case states <- s:
			case <-ctx.Done():
				return
			}
		}
	}()
	until := func(what string, ok func(tui.MirrorState) bool) tui.MirrorState {
		t.Helper()
		for s := range states {
			if ok(s) {
				return s
			}
		}
		t.Fatalf("never: %s", what)
		return tui.MirrorState{}
	}
	until("off", func(s tui.MirrorState) bool { return !s.On })
	if err := r.Start(t.Context()); engine.CodeOf(err) != engine.InvalidCommand {
		t.Errorf("without a session: %v", err)
	}
	for _, do := range []func() error{r.ShowClassCode, r.ShowApproverCode, r.Show, r.Refuse} {
		if err := do(); engine.CodeOf(err) != engine.InvalidCommand {
			t.Errorf("while it is off: %v", err)
		}
	}
	open = session
	for range 2 { // again is the same
		if err := r.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	on := until("on", func(s tui.MirrorState) bool { return s.On })
	if on.Share != "all" || len(on.Addresses) == 0 || on.Link != "" {
		t.Errorf("%+v", on)
	}
	if err := r.ShowClassCode(); err != nil {
		t.Fatal(err)
	}
	coded := until("a code", func(s tui.MirrorState) bool { return s.Link != "" })
	if len(coded.Class) != 8 || coded.Link != coded.Addresses[0]+"/#p="+coded.Class {
		t.Errorf("%+v", coded)
	}
	if err := r.ShowApproverCode(); err != nil {
		t.Fatal(err)
	}
	both := until("an approver's code", func(s tui.MirrorState) bool { return s.Approver != "" && strings.HasSuffix(s.Link, s.Approver) })
	if status := pairAt(t, both.Addresses[0], both.Approver); status != http.StatusAccepted {
		t.Fatalf("the approver's code: %d", status)
	}
	// The code has been used; the one that is still good stands in its place.
	until("the class code again", func(s tui.MirrorState) bool { return s.Asking != nil && s.Link == coded.Link })
	if err := r.Refuse(); err != nil {
		t.Fatal(err)
	}
	if status := pairAt(t, coded.Addresses[0], coded.Class); status != http.StatusOK {
		t.Fatalf("the class code: %d", status)
	}
	joined := until("a device", func(s tui.MirrorState) bool { return len(s.Devices) == 1 })
	if d := joined.Devices[0]; d.Name != "Ada" || d.Role != "viewer" {
		t.Errorf("%+v", d)
	}
	if err := r.SetShare("none"); err != nil {
		t.Fatal(err)
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	if s := until("off again", func(s tui.MirrorState) bool { return !s.On }); s.Link != "" || len(s.Devices) > 0 {
		t.Errorf("%+v", s)
	}
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := until("on again", func(s tui.MirrorState) bool { return s.On }); s.Share != "none" || len(s.Devices) > 0 {
		t.Errorf("what was decided is forgotten: %+v", s)
	}
	r.close()
	if err := r.Start(t.Context()); engine.CodeOf(err) != engine.SessionClosedCode {
		t.Errorf("after the end: %v", err)
	}
	cancel()
	for range states { // until the follower has ended
	}
}

// pairAt redeems a code as a page does, and gives the status.
func pairAt(t *testing.T, base, code string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/api/pair", strings.NewReader(`{"code":"`+code+`","name":"Ada"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", base)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	return resp.StatusCode
}
