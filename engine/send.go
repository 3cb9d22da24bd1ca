package engine

import (
	"context"
	"strings"
)

// said is a message as somebody hands it in.
type said struct {
	text        string
	attachments []string
	delivery    string
	by          Actor
}

// message checks what is said and makes it fit for the log. Called with mu held.
func (s *Session) message(ctx context.Context, m said) (UserMessage, error) {
	switch {
	case strings.TrimSpace(m.text) == "" && len(m.attachments) == 0:
		return UserMessage{}, Errorf(EmptyMessage, "there is nothing to send; type a message first")
	case len(m.text) > maxMessage:
		return UserMessage{}, Errorf(MessageTooLarge, "the message has more than the %d bytes that one may have; put long text into a file of the workspace", maxMessage)
	case s.cfg.Model == nil:
		return UserMessage{}, Errorf(ModelNotConfigured, "no model is configured")
	}
	with, err := s.enclose(ctx, m.attachments)
	if err != nil {
		return UserMessage{}, err
	}
	return UserMessage{Message: MessageID(s.cfg.NewID("msg")), Text: s.redact.Text(strings.ToValidUTF8(m.text, "\uFFFD")), Attachments: with,
		Delivery: m.delivery, By: m.by}, nil
}

// send begins a run with a message. While one is active, a prompt is refused and anything else is
// queued for it.
func (s *Session) send(ctx context.Context, what said) (Receipt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Receipt{}, SessionClosedCode
	}
	m, err := s.message(ctx, what)
	switch {
	case err != nil:
		return Receipt{}, err
	case s.stop == nil:
		return s.begin(m)
	case m.Delivery == prompt:
		return Receipt{}, Errorf(SessionBusy, "a run is active; wait for its end or cancel it")
	}
	said, err := s.log.append(entry{payload: m})
	if err != nil {
		return Receipt{}, err
	}
	return Receipt{Seq: said[0].Seq, Run: s.active, Message: m.Message}, nil
}

// begin starts the one run a session may have at a time. Called with mu held.
func (s *Session) begin(m UserMessage) (Receipt, error) {
	if err := s.cfg.Budget.payable(s.cfg.Model); err != nil {
		return Receipt{}, err
	}
	m.Delivery = prompt
	r := &run{id: RunID(s.cfg.NewID("run")), cfg: s.cfg, log: s.log, broker: s.broker, redact: s.redact, tools: s.tools,
		budget: s.cfg.Budget, expiry: s.cfg.ApprovalExpiry, deliver: s.deliver, intake: s.intake}
	said, err := s.log.append(entry{payload: m})
	if err != nil {
		return Receipt{}, err
	}
	r.started, err = r.emit(said[0].Seq, RunStarted{Run: r.id, Budget: r.budget, Model: s.cfg.Model.Info().ID})
	if err != nil {
		return Receipt{}, err
	}
	ctx, stop := context.WithCancelCause(context.Background())
	r.deadline = newDeadline(s.cfg.Clock, r.budget.DeadlineS, func(err error) { stop(err) })
	s.stop, s.active = stop, r.id
	began := s.cfg.Clock.Now()
	s.spawn(func() { s.carry(ctx, r, began) })
	return Receipt{Seq: said[0].Seq, Run: r.id, Message: m.Message}, nil
}
