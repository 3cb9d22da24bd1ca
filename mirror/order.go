package mirror

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"agentstudio/engine"
)

// order is a frame of a client, and the body of the POST routes. Fields that do not belong to its
// type are ignored.
type order struct {
	Type string `json:"type"`
	ID   string `json:"id"` // the client's own; a repeat gets the first result

	// auth and again
	Token   string           `json:"token"`
	After   engine.Seq       `json:"after"`
	Session engine.SessionID `json:"sessionId"`
	Share   Share            `json:"share"`

	// decide, extend
	Approval  engine.ApprovalID `json:"approvalId"`
	Digest    string            `json:"digest"`
	Approve   *bool             `json:"approve"`
	Reason    string            `json:"reason"`
	PressedAt time.Time         `json:"pressedAt"`
	Seconds   int               `json:"seconds"`

	// cancel
	Run engine.RunID `json:"runId"`

	// message
	Text     string `json:"text"`
	Delivery string `json:"delivery"` // prompt, followUp or steer
	// Attachments are the pictures that go with it; nil for all that wait and that the device has uploaded.
	Attachments *[]string `json:"attachmentIds"`

	// remove
	Attachment string `json:"attachmentId"`
}

func (o order) hello() hello { return hello{o.After, o.Session, o.Share} }

// query is where a program says it stands, since its token is on the upgrade.
func (o *order) query(q url.Values) error {
	after, err := sequence(q.Get("after"))
	o.After, o.Session, o.Share = after, engine.SessionID(q.Get("sessionId")), Share(q.Get("share"))
	return err
}

// sequence reads a sequence number; nothing is 0.
func sequence(s string) (engine.Seq, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return 0, engine.Errorf(engine.RequestMalformed, "a sequence is a whole number from 0 on, not %q", inline(s))
	}
	return engine.Seq(n), nil
}

// result is the engine's word on a command.
type result struct {
	Type     string                   `json:"type"`
	ID       string                   `json:"id,omitempty"`
	OK       bool                     `json:"ok"`
	Code     engine.Code              `json:"code,omitempty"`
	Message  string                   `json:"message,omitempty"`
	Details  map[string]any           `json:"details,omitempty"`
	Sequence engine.Seq               `json:"sequence,omitempty"`
	Run      engine.RunID             `json:"runId,omitempty"`
	Said     engine.MessageID         `json:"messageId,omitempty"`
	Already  bool                     `json:"alreadyResolved,omitempty"`
	Decided  *engine.ApprovalResolved `json:"resolution,omitempty"`
	Upload   *engine.Attachment       `json:"attachment,omitempty"`
}

func failure(id string, err error) result {
	c := engine.CodeOf(err)
	message := engine.MessageOf(err)
	if c == engine.Internal {
		message = "something went wrong here"
	}
	return result{Type: "result", ID: id, Code: c, Message: message, Details: engine.DetailsOf(err)}
}

func success(id string, r engine.Receipt) result {
	out := result{Type: "result", ID: id, OK: true, Sequence: r.Seq, Run: r.Run, Said: r.Message, Already: r.AlreadyResolved, Decided: r.Resolution}
	if r.Resolution != nil {
		by := *r.Resolution
		by.By, by.Reason = *cleanActor(&by.By), code(by.Reason)
		out.Decided = &by
	}
	if r.AlreadyResolved {
		out.Message = "already decided: " + string(r.Resolution.Status) + " by " + inline(r.Resolution.By.Name)
	}
	return out
}

func outcome(id string, r engine.Receipt, err error) result {
	if err != nil {
		out := failure(id, err)
		if r.Resolution != nil {
			out.Decided = success(id, r).Decided
		}
		return out
	}
	return success(id, r)
}

// take does what a client's frame asks; false ends the connection.
func (m *Mirror) take(ctx context.Context, f *feed, o order) bool {
	switch o.Type {
	case "ping":
		f.reply(struct {
			Type string         `json:"type"`
			ID   string         `json:"id,omitempty"`
			Now  engine.Instant `json:"now"`
		}{"pong", o.ID, engine.Instant{Time: m.now()}})
	case "hash":
		if !f.device.catchups.AllowN(m.now(), 1) {
			f.reply(failure(o.ID, engine.Errorf(engine.RateLimited, "the hash is given so many times a minute and no more")))
			return true
		}
		f.question(o.ID)
	case "again":
		if !m.mayCatchUp(f.device, hello{after: o.After}) {
			f.end(closeTooMany)
			return false
		}
		f.again(o.After)
	case "leave":
		m.revoke(f.device, m.actor(f.device))
		return false
	case "decide", "cancel", "message", "extend", "remove":
		m.command(ctx, f, o)
	default:
		f.reply(failure(o.ID, engine.Errorf(engine.RequestMalformed, "there is no frame of the type %q", inline(o.Type))))
	}
	return true
}

// command does a command and replies. One that is held at the terminal does not keep the
// connection from reading.
func (m *Mirror) command(ctx context.Context, f *feed, o order) {
	do := func() { f.reply(m.do(ctx, f.device, f.seat, o)) }
	if m.holds(f.seat, o) {
		m.work.Go(do)
		return
	}
	do()
}

// extendMost is how many seconds may be given at once; the engine has an hour as the most in all.
const extendMost = 3600

func (o order) needs() act {
	switch o.Type {
	case "decide", "cancel", "remove":
		return decide
	}
	return operate
}

// do is the one way from a device to the engine, for frames and requests alike.
func (m *Mirror) do(ctx context.Context, d *device, from *seat, o order) result {
	if len(o.ID) > 64 {
		return failure("", engine.Errorf(engine.RequestMalformed, "an id has at most 64 characters"))
	}
	key := o.ID
	if key != "" {
		key = o.Type + " " + key
	}
	if err := m.allowed(d, o.needs()); err != nil {
		return failure(o.ID, err)
	}
	return d.answers.once(ctx, key, func() result {
		ctx := context.WithoutCancel(ctx) // what was accepted is done, whether or not somebody waits
		switch o.Type {
		case "decide":
			return m.decide(ctx, d, from, o)
		case "cancel":
			return m.cancelRun(ctx, d, o)
		case "remove":
			return m.takeBack(ctx, d, o)
		case "extend":
			if o.Seconds < 1 || o.Seconds > extendMost {
				return failure(o.ID, engine.Errorf(engine.InvalidCommand, "seconds is how much more time an approval gets, from 1 to %d", extendMost))
			}
			r, err := m.current().Do(ctx, engine.Extend{Approval: o.Approval, More: time.Duration(o.Seconds) * time.Second, By: m.actor(d)})
			return outcome(o.ID, r, err)
		}
		return m.send(ctx, d, o)
	})
}

// cancelRun stops the run that the client means, and no other that has begun since.
func (m *Mirror) cancelRun(ctx context.Context, d *device, o order) result {
	if o.Run == "" {
		return failure(o.ID, engine.Errorf(engine.RequestMalformed, "a cancel names its run in runId"))
	}
	if run, active := m.folder(ShareAll).run(); !active || run != o.Run {
		return failure(o.ID, engine.Errorf(engine.NothingRunning, "the run has ended already"))
	}
	r, err := m.current().Do(ctx, engine.Cancel{By: m.actor(d)})
	return outcome(o.ID, r, err)
}
