package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"agentstudio/engine"
	"agentstudio/engine/safe"
)

// approvals are the decisions of a file: the first rule for a tool counts, others are denied.
type approvals []struct {
	Tool     string `yaml:"tool"`
	Decision string `yaml:"decision"` // approve or deny
	Reason   string `yaml:"reason"`
}

func readApprovals(file string) (approvals, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, engine.Errorf(engine.ConfigInvalid, "--approve takes ask, always, never or a readable file; %q is none of them", file)
	}
	defer f.Close()
	var rules approvals
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	if err := d.Decode(&rules); err != nil {
		return nil, engine.Errorf(engine.ConfigInvalid, "%s is not a list of {tool, decision}: %v", file, err)
	}
	for i, r := range rules {
		if r.Tool == "" || r.Decision != "approve" && r.Decision != "deny" {
			return nil, engine.Errorf(engine.ConfigInvalid, "%s: entry %d needs a tool and the decision approve or deny", file, i+1)
		}
	}
	return rules, nil
}

func (a approvals) verdict(p engine.ApprovalRequired) (bool, string) {
	for _, r := range a {
		if r.Tool == p.Tool {
			return r.Decision == "approve", r.Reason
		}
	}
	return false, fmt.Sprintf("the approvals file has no rule for %s", p.Tool)
}

// approver decides for whoever runs the command.
type approver struct {
	actor   engine.Actor
	verdict func(engine.ApprovalRequired) (approve bool, reason string)
	person  *person // who is asked; nil when a rule decides
	close   func()
}

// decide answers at once, or asks and answers when the person has: until then the events go on,
// since an approval may expire or be cancelled while somebody thinks.
func (a *approver) decide(ctx context.Context, s *engine.Session, p engine.ApprovalRequired) {
	send := func(yes bool, reason string) {
		// A refused decision has its own event: expiry or cancelling was faster.
		_, _ = s.Do(ctx, engine.Decide{Approval: p.Approval, Digest: p.Digest, Approve: yes, Reason: reason, By: a.actor})
	}
	if a.person != nil {
		a.person.ask(p, func(yes bool) { send(yes, "") })
		return
	}
	send(a.verdict(p))
}

// resolved tells that the open question has been decided, by whomever.
func (a *approver) resolved() {
	if a.person != nil {
		a.person.forget()
	}
}

func (o *options) approver(how string) (*approver, error) {
	a := &approver{actor: engine.Actor{Screen: "cli", Name: "run --approve " + how}, close: func() {}}
	switch how {
	case "always":
		a.verdict = func(engine.ApprovalRequired) (bool, string) { return true, "" }
	case "never":
		a.verdict = func(engine.ApprovalRequired) (bool, string) {
			return false, "this run was started with --approve never"
		}
	case "ask":
		tty, err := os.OpenFile(ttyName, os.O_RDWR, 0)
		if err != nil {
			return nil, engine.Errorf(engine.ConfigInvalid, "there is no terminal to ask on; say --approve always, never or a file")
		}
		a.actor.Name = "terminal"
		a.close = func() { _ = tty.Close() }
		a.person = &person{tty: tty}
	default:
		a.actor.Name = "approvals file"
		rules, err := readApprovals(how)
		if err != nil {
			return nil, err
		}
		a.verdict = rules.verdict
	}
	return a, nil
}

// person is who sits at the terminal. One goroutine reads their lines as long as the command
// lives; it cannot be waited for, since nothing makes a read of a terminal return everywhere.
type person struct {
	tty io.ReadWriter

	mu      sync.Mutex
	reading bool
	answer  func(yes bool) // of the question that is open; nil when none is
}

// ask shows exactly what is asked, and takes nothing but the word yes for a yes. Lines typed while
// no question was open answer none.
func (p *person) ask(q engine.ApprovalRequired, answer func(yes bool)) {
	shown := q.Preview
	if shown == "" {
		shown = string(q.Arguments)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.tty, "\n%s asks: %s\n\n%s\n\ndigest %.8s, expires %s\nType yes to approve, anything else denies: ", safe.Text(q.Tool, safe.Inline),
		safe.Text(q.Summary, safe.Approval), safe.Text(shown, safe.Approval), q.Digest, q.ExpiresAt.Local().Format("15:04:05"))
	p.answer = answer
	if !p.reading {
		p.reading = true
		go p.read()
	}
}

// forget closes the question.
func (p *person) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = nil
}

func (p *person) read() {
	lines := bufio.NewReader(p.tty)
	for {
		line, err := lines.ReadString('\n')
		p.mu.Lock()
		answer := p.answer
		p.answer = nil
		p.reading = err == nil
		p.mu.Unlock()
		if answer != nil {
			answer(err == nil && strings.TrimSpace(line) == "yes")
		}
		if err != nil {
			return // the terminal is gone, which is a no; the next question tries again
		}
	}
}
