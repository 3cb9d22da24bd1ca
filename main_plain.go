package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

// plainly opens the studio without a screen of panes: every event is a line with a label, for
// screen readers, captions and slow links. It needs no terminal.
func (o *options) plainly(ctx context.Context) error {
	o.pace, o.modelless = true, true
	s, err := o.assemble(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	p := &plain{s: s, out: o.std.out, now: time.Now, files: o.files()}
	err = p.serve(ctx, o.std.in)
	if ctx.Err() != nil {
		_, _ = s.session.Do(context.Background(), signalled(ctx, "cli"))
	}
	return err
}

// plain is the studio as lines. It is used by one goroutine.
type plain struct {
	s     *studio
	out   io.Writer
	now   func() time.Time
	files localFiles
	state view.State
	said  strings.Builder // of the agent's line that has no end yet

	asked   engine.ApprovalID // the question that numbers answer; "" for none
	askedAt time.Time
	filled  string     // what an empty line sends
	over    bool       // nothing more will be typed
	failed  error      // to write
	until   engine.Seq // what the last command led to
}

// hasty is how soon after a question a line cannot have been meant for it.
const hasty = 500 * time.Millisecond

// serve tells events and takes lines until /quit, the context's end, or the end of input and of the
// run.
func (p *plain) serve(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	events, faults, wait := following(ctx, p.s.session)
	defer wait()
	defer cancel()
	lines := typed(ctx, in)
	p.say("label.studio", p.text("plain.welcome", "id", string(p.s.session.ID())))
	if p.s.news != "" {
		p.say("label.notice", p.s.news)
	}
	for {
		if p.over && !p.state.Status.Active() && p.state.Seq > 0 && p.state.Seq >= p.until {
			return nil
		}
		if p.failed != nil {
			return &engine.Error{Code: engine.WriteFailed, Message: "the output cannot be written", Err: p.failed}
		}
		heard := lines
		if p.state.Seq < p.until {
			heard = nil // what is typed next may be about what has just been done
		}
		select {
		case batch := <-events:
			for _, e := range batch {
				if err := p.tell(e); err != nil {
					return err
				}
			}
		case line, more := <-heard:
			if !more {
				p.over, lines = true, nil
			} else if p.take(ctx, line) {
				return nil
			}
		case err := <-faults:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// following gives a session's events from its first one on, in the order of the log, and what ended that
// before ctx did. wait returns when nothing more comes, which is soon after the end of ctx.
func following(ctx context.Context, session *engine.Session) (events <-chan []engine.Event, faults <-chan error, wait func()) {
	var running sync.WaitGroup
	batches, fault := make(chan []engine.Event), make(chan error, 1)
	running.Go(func() {
		for batch, err := range session.Follow(ctx, 0) {
			if err != nil {
				fault <- err
				return
			}
			select {
			case batches <- batch:
			case <-ctx.Done():
				return
			}
		}
	})
	return batches, fault, running.Wait
}

// typed gives the lines of in until its end. Its goroutine ends with in or ctx; nothing makes a
// read of a terminal return everywhere, so nobody waits for it.
func typed(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		r := bufio.NewReader(in)
		for {
			line, err := boundedLine(r)
			if line = strings.TrimRight(line, "\r\n"); line != "" || err == nil {
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// boundedLine reads a line, of one that no message could hold only the beginning: the engine refuses
// that in words.
func boundedLine(r *bufio.Reader) (string, error) {
	const most = 1 << 20
	var line []byte
	for {
		piece, err := r.ReadSlice('\n')
		if room := most - len(line); room > 0 {
			line = append(line, piece[:min(len(piece), room)]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(line), err
		}
	}
}

// take does what a line asks for, and tells whether it was to quit.
func (p *plain) take(ctx context.Context, line string) (quit bool) {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch {
	case name == "/quit":
		return true
	case name == "/help":
		p.say("label.studio", p.text("plain.help"))
	case name == "/cancel":
		p.do(ctx, engine.Cancel{By: p.me()})
	case name == "/attach" && strings.TrimSpace(rest) != "":
		r, err := p.s.attach(ctx, p.files, strings.TrimSpace(rest), p.me())
		if err != nil {
			p.say("label.notice", p.why(err))
		}
		p.until = max(p.until, r.Seq)
	case name == "/detach":
		p.detach(ctx, strings.TrimSpace(rest))
	case name == "/demo":
		p.filled = p.s.scenario.Prompt(string(p.s.lang))
		p.say("label.studio", p.text("plain.filled", "text", p.filled))
	case slashed(line):
		p.say("label.notice", p.text("plain.noCommand", "name", name))
	case p.asked != "" && name == "":
	case p.asked != "":
		p.answer(ctx, name, strings.TrimSpace(rest))
	case len(line) == 1 && line[0] >= '1' && line[0] <= '4':
		p.say("label.notice", p.text("plain.noQuestion")) // it was meant for one that has just closed
	case name == "" && p.filled == "":
	case name == "":
		p.send(ctx, p.filled)
	default:
		p.send(ctx, line)
	}
	return false
}

// slashed tells whether a line looks like a command: a slash and a word of lower-case letters. A blank
// before it makes a message of it.
func slashed(line string) bool {
	name, _, _ := strings.Cut(line, " ")
	rest, found := strings.CutPrefix(name, "/")
	return found && rest != "" && !strings.ContainsFunc(rest, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' })
}

func (p *plain) send(ctx context.Context, text string) {
	p.filled = ""
	var ids []string
	for _, a := range p.state.Draft() {
		ids = append(ids, a.ID)
	}
	if p.state.Status.Active() {
		p.do(ctx, engine.FollowUp{Text: text, Attachments: ids, By: p.me()})
		return
	}
	p.do(ctx, engine.Send{Text: text, Attachments: ids, By: p.me()})
}

// detach removes the waiting pictures of a name, all of them for "".
func (p *plain) detach(ctx context.Context, name string) {
	for _, a := range p.state.Draft() {
		if name == "" || name == a.Name {
			p.do(ctx, engine.Detach{Attachment: a.ID, By: p.me()})
		}
	}
}

// answer takes the number of a choice. Anything else decides nothing and is not sent either.
func (p *plain) answer(ctx context.Context, choice, reason string) {
	a := p.state.Approvals[0]
	switch {
	case p.now().Sub(p.askedAt) < hasty:
		p.say("label.approval", p.text("plain.tooSoon"))
	case choice == "1" && reason == "":
		p.do(ctx, engine.Decide{Approval: a.Approval, Digest: a.Digest, Approve: true, By: p.me()})
	case choice == "2":
		p.do(ctx, engine.Decide{Approval: a.Approval, Digest: a.Digest, Reason: reason, By: p.me()})
	case choice == "3" && reason == "":
		p.do(ctx, engine.Extend{Approval: a.Approval, More: 5 * time.Minute, By: p.me()})
	case choice == "4" && reason == "":
		p.say("label.approval", p.text("ui.whyAsked", "rule", a.Policy.Rule, "source", a.Policy.Source, "matched", a.Policy.Matched))
	default:
		p.say("label.approval", p.text("plain.choices"))
	}
}

func (p *plain) me() engine.Actor { return engine.Actor{Screen: "tui", Name: "terminal"} }

// do gives a command to the session and says why it was refused.
func (p *plain) do(ctx context.Context, c engine.Command) {
	r, err := p.s.session.Do(ctx, c)
	if err != nil {
		p.say("label.notice", p.why(err))
	}
	if _, begins := c.(engine.Send); begins && err == nil {
		r.Seq++ // its run.started: until that is seen nothing tells that a run is active
	}
	p.until = max(p.until, r.Seq)
}

// why is what an error says in the language of the screen.
func (p *plain) why(err error) string {
	return words.Fault(p.s.lang, string(engine.CodeOf(err)), engine.MessageOf(err), engine.DetailsOf(err))
}

func (p *plain) text(key string, pairs ...string) string {
	args := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		args[pairs[i]] = pairs[i+1]
	}
	return words.Text(p.s.lang, key, args)
}

// say prints a text below a label: each of its lines is one, with the label before it.
func (p *plain) say(label, text string) {
	for line := range strings.Lines(string(safe.Text(text, safe.Prose)) + "\n") {
		p.print("%s: %s\n", p.text(label), strings.TrimRight(line, "\n"))
	}
}

// print writes a line, and keeps the first failure.
func (p *plain) print(format string, args ...any) {
	if _, err := fmt.Fprintf(p.out, format, args...); err != nil && p.failed == nil {
		p.failed = err
	}
}
