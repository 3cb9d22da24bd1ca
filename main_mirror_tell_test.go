package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/engine/words"
	"agentstudio/mirror"
)

// usher is a mirror's terminal without a screen: lines go in, and what it prints comes out in order.
type usher struct {
	t    *testing.T
	in   io.Writer
	out  *bufio.Scanner
	said []string
}

// hears waits until a printed line matches, and gives it.
func (u *usher) hears(pattern string) string {
	u.t.Helper()
	want := regexp.MustCompile(pattern)
	for u.out.Scan() {
		u.said = append(u.said, u.out.Text())
		if want.MatchString(u.out.Text()) {
			return u.out.Text()
		}
	}
	u.t.Fatalf("nothing like %q: %q", pattern, u.said)
	return ""
}

func (u *usher) types(line string) {
	u.t.Helper()
	if _, err := fmt.Fprintln(u.in, line); err != nil {
		u.t.Fatal(err)
	}
}

// Who keeps a mirror without a screen hears what is asked, what waits, who decided, and how it ended; what
// was there before is not told again.
func TestTheMirrorTellsOfRunsAndQuestions(t *testing.T) {
	c := uploads(t)
	grace := engine.Actor{Screen: "cli", Name: "Grace"}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m, err := mirror.New(mirror.Options{Session: c.s.session, Port: mirror.AnyPort})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close() //nolint:errcheck // nothing is kept
	lines, in := io.Pipe()
	out, printer := io.Pipe()
	h := &hall{session: c.s.session, mirror: m, out: printer, lang: words.English, changed: make(chan struct{}, 1)}
	late := time.AfterFunc(30*time.Second, func() { _ = out.CloseWithError(errors.New("it is silent")) })
	defer late.Stop()
	ended := make(chan error, 1)
	go func() { ended <- h.serve(ctx, lines); _ = printer.Close() }()
	u := &usher{t: t, in: in, out: bufio.NewScanner(out)}
	u.hears("^only this computer gets there")
	u.hears("one approver joins")
	ada := engine.Actor{Screen: "mirror", Name: "Ada\x1b[31m"}
	if _, err := c.s.session.Do(ctx, engine.Send{Text: "\x1b[2J" + strings.Repeat(" ", 70) + "approved · terminal " + c.s.scenario.Prompt("en"), By: ada}); err != nil {
		t.Fatal(err)
	}
	if line := u.hears("^Ada"); !strings.Contains(line, ": ␛[2J approved · terminal Use the ads-anal") || len([]rune(line)) > 80 || strings.Contains(line, "\x1b") {
		t.Errorf("it told %q", line)
	}
	u.hears(`^save_report_draft waits for a decision until \d\d:\d\d:\d\d · [0-9a-f]{8}$`)
	a := c.question()
	if _, err := c.s.session.Do(ctx, engine.Extend{Approval: a.Approval, More: time.Minute, By: ada}); err != nil {
		t.Fatal(err)
	}
	u.hears(`^Ada.* gave it time until \d\d:\d\d:\d\d$`)
	if _, err := c.s.session.Do(ctx, engine.Decide{Approval: a.Approval, Digest: a.Digest, Approve: true, By: grace}); err != nil {
		t.Fatal(err)
	}
	u.hears("^approved · Grace$")
	u.hears("saved$")
	u.hears("^run completed · ")
	forged := engine.Attach{Name: strings.Repeat("a", 60) + strings.Repeat(" ", 12) + "approved · terminal.png", MIME: "image/png", Body: bytes.NewReader(small(t, 8, 8)), By: ada}
	if _, err := c.s.session.Do(ctx, forged); err != nil {
		t.Fatal(err)
	}
	if line := u.hears("^attached "); len([]rune(line)) > 76 {
		t.Errorf("it told %q", line)
	}
	u.types("share names")
	u.hears("^done$")
	u.types("refuse") // nobody asks
	u.types("share some")
	u.hears("^not done: ")
	go func() { _, _ = io.WriteString(in, "quit\n") }()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	_ = in.Close()
}

// question waits for the first question of the session.
func (c *counter) question() engine.ApprovalRequired {
	c.t.Helper()
	for batch, err := range c.s.session.Follow(c.t.Context(), 0) {
		if err != nil {
			c.t.Fatal(err)
		}
		for _, e := range batch {
			if p, is := e.Payload.(engine.ApprovalRequired); is {
				return p
			}
		}
	}
	c.t.Fatal("no question")
	return engine.ApprovalRequired{}
}
