package main

import (
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/words"
)

// tell takes an event in and, unless it is from before the mirror was opened, prints what it means to
// who keeps the mirror: what is asked for, what waits for a decision, who decided, and how it ended.
func (h *hall) tell(e engine.Event, isNew bool) error {
	patch, err := h.state.Apply(e)
	if err != nil || !isNew {
		return err
	}
	switch x := e.Payload.(type) {
	case engine.UserMessage:
		h.say("mirror.sent", "name", short(x.By.Name, 24), "text", short(x.Text, 48))
	case engine.ApprovalRequired:
		h.say("mirror.waits", "tool", x.Tool, "digest", x.Digest[:min(8, len(x.Digest))], "at", x.ExpiresAt.Local().Format("15:04:05"))
	case engine.ApprovalExtended:
		h.say("mirror.extended", "name", x.By.Name, "at", x.ExpiresAt.Local().Format("15:04:05"))
	case engine.ApprovalResolved, engine.ArtifactReady, engine.AttachmentAdded, engine.RunCompleted, engine.RunFailed, engine.RunCancelledEvent:
		for _, r := range patch.Timeline {
			if r.Seq == e.Seq {
				h.say("mirror.told", "what", short(words.Caption(h.lang, r.Kind, r.Args), 76))
			}
		}
	}
	return nil
}

// short is a text in at most so many cells and without runs of blanks: a line that a device had the
// terminal wrap could look like one of ours.
func short(text string, cells int) string {
	return string(safe.Truncate(safe.Text(strings.Join(strings.Fields(text), " "), safe.Inline), cells, "…"))
}

// done says that a line was done, if it was.
func (h *hall) done(err error) error {
	if err == nil {
		h.say("mirror.done")
	}
	return err
}
