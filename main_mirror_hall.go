package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
	"agentstudio/mirror"
	"agentstudio/tui"
)

// hall is the mirror's side at a terminal without a screen: it prints codes, who asks, and what the
// session does, and reads digits. It is used by one goroutine, but for wake.
type hall struct {
	session *engine.Session
	mirror  *mirror.Mirror
	out     io.Writer
	lang    words.Lang
	changed chan struct{} // of one

	asking  string // who was told to be asking
	held    map[engine.ApprovalID]bool
	devices map[string]bool
	state   view.State
}

// wake may be called from any goroutine.
func (h *hall) wake() {
	select {
	case h.changed <- struct{}{}:
	default:
	}
}

// serve tells what changes and takes lines until quit, the end of input or of ctx.
func (h *hall) serve(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h.held, h.devices = map[engine.ApprovalID]bool{}, map[string]bool{}
	lines, already := typed(ctx, in), h.session.Opened()
	events, faults, wait := following(ctx, h.session)
	defer wait()
	defer cancel()
	h.mirror.ShowClassCode()
	for _, a := range h.mirror.State().Addresses {
		h.say("mirror.address", "address", a)
	}
	if h.mirror.State().Insecure {
		h.say("mirror.insecure")
	}
	h.say("mirror.class", "code", spaced(h.mirror.State().Class))
	switch s := (tui.MirrorState{Addresses: h.mirror.State().Addresses, Insecure: h.mirror.State().Insecure}); {
	case s.NearOnly():
		h.say("lobby.near")
	case s.WatchOnly():
		h.say("lobby.watchOnly")
	}
	h.newCode()
	for {
		h.look()
		select {
		case <-h.changed:
		case batch := <-events:
			for _, e := range batch {
				if err := h.tell(e, e.Seq > already); err != nil {
					return err
				}
			}
		case err := <-faults:
			return err
		case line, more := <-lines:
			if !more || !h.take(strings.Fields(line)) {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}

func (h *hall) say(key string, pairs ...string) {
	args := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		args[pairs[i]] = pairs[i+1]
	}
	fmt.Fprintln(h.out, safe.Text(words.Text(h.lang, key, args), safe.Inline))
}

// spaced is a code as it is read out.
func spaced(code string) string {
	if len(code) != 8 {
		return code
	}
	return code[:4] + " " + code[4:]
}

// newCode shows a code for one approver.
func (h *hall) newCode() {
	code, until, err := h.mirror.ShowApproverCode()
	if err != nil {
		h.refuse(err)
		return
	}
	h.say("mirror.approver", "code", spaced(code), "at", until.Local().Format("15:04:05"))
}

func (h *hall) refuse(err error) { h.say("mirror.refused", "why", engine.MessageOf(err)) }

// look tells what is new since the last look.
func (h *hall) look() {
	s := h.mirror.State()
	asking := ""
	if s.Asking != nil {
		asking = s.Asking.Name + s.Asking.Until.String()
		if asking != h.asking {
			h.say("mirror.asks", "name", s.Asking.Name, "address", s.Asking.Address)
		}
	}
	h.asking = asking
	now := map[string]bool{}
	for _, d := range s.Devices {
		if now[d.ID] = true; !h.devices[d.ID] {
			h.say("mirror.joined", "name", d.Name, "role", string(d.Role), "id", d.ID)
		}
	}
	h.devices = now
	held := map[engine.ApprovalID]bool{}
	for _, x := range s.Held {
		if held[x.Approval] = true; !h.held[x.Approval] {
			h.say("mirror.held", "name", x.Name, "digest", x.Digest[:min(8, len(x.Digest))])
		}
	}
	h.held = held
}

// take does what a line asks for; false to quit.
func (h *hall) take(w []string) bool {
	var err error
	switch {
	case len(w) == 0:
		for _, x := range h.mirror.State().Held {
			h.mirror.StopHeld(x.Approval)
		}
	case w[0] == "quit":
		return false
	case w[0] == "code":
		h.newCode()
	case w[0] == "class":
		h.mirror.ShowClassCode()
		h.say("mirror.class", "code", spaced(h.mirror.State().Class))
	case w[0] == "refuse":
		h.mirror.Refuse()
	case w[0] == "hide":
		h.mirror.HideClassCode()
		h.say("mirror.hidden")
	case w[0] == "devices":
		for _, d := range h.mirror.State().Devices {
			h.say("mirror.device", "id", d.ID, "name", d.Name, "role", string(d.Role), "address", d.Address, "online", map[bool]string{true: "online"}[d.Online])
		}
	case w[0] == "revoke" && len(w) == 2:
		err = h.done(h.mirror.Revoke(w[1]))
	case w[0] == "role" && len(w) == 3:
		err = h.done(h.mirror.SetRole(w[1], mirror.Role(w[2])))
	case w[0] == "share" && len(w) == 2:
		err = h.done(h.mirror.SetShare(mirror.Share(w[1])))
	case len(w) == 1 && len(w[0]) == 4 && strings.Trim(w[0], "0123456789") == "":
		err = h.mirror.Confirm(w[0])
	default:
		h.say("mirror.help")
	}
	if err != nil {
		h.refuse(err)
	}
	return true
}
