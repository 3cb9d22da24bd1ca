package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/engine/view"
)

// teletype is somebody at a plain studio: lines go in, and what comes out is waited for.
type teletype struct {
	t    *testing.T
	in   *io.PipeWriter
	mu   sync.Mutex
	all  strings.Builder
	news chan struct{}
	now  time.Time
	done chan error
}

func (p *teletype) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all.Write(b)
	close(p.news)
	p.news = make(chan struct{})
	return len(b), nil
}

// hears waits for a text.
func (p *teletype) hears(text string) {
	p.t.Helper()
	late := time.After(20 * time.Second)
	for {
		p.mu.Lock()
		all, news := p.all.String(), p.news
		p.mu.Unlock()
		if strings.Contains(all, text) {
			return
		}
		select {
		case <-news:
		case <-late:
			p.t.Fatalf("never heard %q in\n%s", text, all)
		}
	}
}

// types sends a line, a second after whatever was before.
func (p *teletype) types(line string) {
	p.t.Helper()
	p.mu.Lock()
	p.now = p.now.Add(time.Second)
	p.mu.Unlock()
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		p.t.Fatal(err)
	}
}

// answers types a choice until it counts: the hand that types does not see when the question's last
// line has been printed.
func (p *teletype) answers(line, heard, tooSoon string) {
	p.t.Helper()
	for n := 1; ; n++ {
		p.types(line)
		late := time.After(20 * time.Second)
		for {
			p.mu.Lock()
			all, news := p.all.String(), p.news
			p.mu.Unlock()
			if strings.Contains(all, heard) {
				return
			}
			if strings.Count(all, tooSoon) == n {
				break
			}
			select {
			case <-news:
			case <-late:
				p.t.Fatalf("%q is not answered in\n%s", line, all)
			}
		}
	}
}

func (p *teletype) clock() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// plainStudio opens the demo for somebody who hears lines.
func plainStudio(t *testing.T, lang string) *teletype {
	t.Helper()
	t.Setenv("LC_ALL", lang)
	o := &options{std: stdio{in: strings.NewReader(""), out: io.Discard, err: io.Discard}, scenario: "ads-report", noSave: true, state: t.TempDir()}
	s, err := o.assemble(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in, keys := io.Pipe()
	tty := &teletype{t: t, in: keys, news: make(chan struct{}), now: time.Now(), done: make(chan error, 1)}
	p := &plain{s: s, out: tty, now: tty.clock}
	ctx, leave := context.WithCancel(context.Background())
	go func() { tty.done <- p.serve(ctx, in) }()
	t.Cleanup(func() {
		leave()
		_ = keys.Close()
		select {
		case err := <-tty.done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Error("the plain studio does not end")
		}
		s.close()
	})
	return tty
}

func TestPlainStudioPlaysTheDemo(t *testing.T) {
	p := plainStudio(t, "en")
	p.hears("studio: Agent Studio, session ses_")
	p.types("/demo")
	p.hears("studio: press Enter to send: ")
	p.types("")
	p.hears("you: Use the ads-analysis skill")
	p.hears("1 approves, 2 denies")
	p.hears("  | # ")
	p.answers("4", "approval: Asked because of the rule", "that came too soon")
	p.types("yes")
	p.types("1 please")
	p.types("1")
	p.hears("run completed")
	all := p.all.String()
	for _, want := range []string{"tool ", "skill ", "approval ", "agent: ", "file "} {
		if !strings.Contains(all, "\n"+want) {
			t.Errorf("no line begins with %q in\n%s", want, all)
		}
	}
	if n := strings.Count(all, "resolved") + strings.Count(all, "approved"); n == 0 {
		t.Errorf("the decision is not told:\n%s", all)
	}
}

func TestPlainStudioDeniesWithAReason(t *testing.T) {
	p := plainStudio(t, "zh")
	p.types("/demo")
	p.types("")
	p.hears("审批: 1 批准")
	p.answers("2 今天不行", "已拒绝", "输入过早")
	p.hears("运行完成")
	if strings.Contains(p.all.String(), "文件 ") {
		t.Errorf("a file was made:\n%s", p.all.String())
	}
}

// A line that was on its way when the question came does not answer it.
func TestPlainStudioTakesNoHastyAnswer(t *testing.T) {
	p := plainStudio(t, "en")
	p.types("/demo")
	p.types("")
	p.hears("1 approves, 2 denies")
	if _, err := fmt.Fprintln(p.in, "1"); err != nil {
		t.Fatal(err)
	}
	p.hears("that came too soon")
	p.types("2")
	p.hears("denied")
	p.hears("run completed")
	if strings.Contains(p.all.String(), "file ") {
		t.Errorf("a file was made:\n%s", p.all.String())
	}
}

func TestPlainStudioCancelsAndQuits(t *testing.T) {
	p := plainStudio(t, "en")
	p.types("/cancel")
	p.hears("notice: nothing is running")
	p.types("/demo")
	p.types("")
	p.hears("1 approves, 2 denies")
	p.types("/cancel")
	p.hears("run cancelled")
	p.types("/quit")
	select {
	case err := <-p.done:
		p.done <- err
	case <-time.After(20 * time.Second):
		t.Fatal("it does not quit")
	}
}

// slowTTY is a terminal that stands still while a question is printed.
type slowTTY struct {
	*teletype
	stall func()
}

func (s slowTTY) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "digest ") {
		s.stall()
	}
	return s.teletype.Write(b)
}

// A question that took long to print is open from when it was printed.
func TestPlainStudioCountsFromThePrintedQuestion(t *testing.T) {
	tty := &teletype{t: t, news: make(chan struct{}), now: time.Now()}
	p := &plain{s: &studio{lang: "en"}, now: tty.clock}
	p.out = slowTTY{tty, func() { tty.now = tty.now.Add(time.Minute) }}
	p.state.Approvals = []view.Approval{{ApprovalRequired: engine.ApprovalRequired{Approval: "apr_1", Tool: "save", Digest: "0123456789"}}}
	p.question()
	if since := tty.clock().Sub(p.askedAt); since != 0 {
		t.Errorf("the question counts as open for %s when it has just been printed", since)
	}
}

func TestPlainStudioEndsWithItsOutput(t *testing.T) {
	t.Setenv("LC_ALL", "en")
	o := &options{std: stdio{in: strings.NewReader(""), out: io.Discard, err: io.Discard}, scenario: "ads-report", noSave: true, state: t.TempDir()}
	s, err := o.assemble(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	in, keys := io.Pipe() // nothing is ever typed
	defer keys.Close()
	p := &plain{s: s, out: fullDevice{syscall.ENOSPC}, now: time.Now}
	if err := p.serve(t.Context(), in); engine.CodeOf(err) != engine.WriteFailed {
		t.Errorf("it ends with %v", err)
	}
}

func TestPlainStudioRefusesALineWithoutEnd(t *testing.T) {
	r := bufio.NewReaderSize(io.MultiReader(strings.NewReader(strings.Repeat("x", 3<<20)), strings.NewReader("\nnext\n")), 4096)
	line, err := boundedLine(r)
	next, nerr := boundedLine(r)
	if len(line) != 1<<20 || err != nil || next != "next\n" || nerr != nil {
		t.Errorf("%d bytes, %v; then %q, %v", len(line), err, next, nerr)
	}
}

// A command that the plain screen doesn't have is never sent to the model.
func TestPlainKnowsItsCommands(t *testing.T) {
	p := plainStudio(t, "en")
	p.hears("studio: Agent Studio, session ses_")
	for _, line := range []string{"/model", "/nosuch thing", "/attach"} {
		p.types(line)
		p.hears(strings.Fields(line)[0] + " is no command here")
	}
	p.types("/usr/bin is a path")
	p.hears("you: /usr/bin is a path")
}
