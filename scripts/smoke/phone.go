package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"agentstudio/mirror"
	"agentstudio/mirror/chromium"
)

const (
	f3     = "\x1bOR"
	escape = "\x1b"
)

// phone is a phone-sized Chromium beside a studio whose mirror is on.
type phone struct {
	*chromium.Tab
	name string // its owner's
}

// withPhone starts the studio with the mirror on and a phone that is let in as an approver, and plays.
// The mirror takes a free port of its own when the usual one is taken.
func withPhone(binary, state string, play func(*terminal, *phone) error, args ...string) error {
	path, found := chromium.Find()
	if !found {
		return errors.New("there is no Chromium")
	}
	t, err := open(binary, state, 160, 45, append([]string{"--mirror", "--theme", "dark"}, args...)...)
	if err != nil {
		return err
	}
	defer t.close()
	b, err := chromium.Start(path, "")
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // a folder of the system's temporary ones
	tab, err := b.Phone()
	if err != nil {
		return err
	}
	defer tab.Close()
	p := &phone{tab, "Ada"}
	err = inOrder(func() error { return t.await("Message", "model ") }, func() error { return p.join(t) }, func() error { return play(t, p) })
	if err != nil {
		return fmt.Errorf("%w\nthe terminal shows:\n%s\nthe phone shows:\n%s", err, t.text(), p.Seen())
	}
	if faults := p.Faults(); len(faults) > 0 {
		return fmt.Errorf("faults in the page: %q", faults)
	}
	return inOrder(func() error { return t.press(ctrlQ) }, func() error { return ended(t) }, t.restored)
}

// codeShown is the line of the screen that has an approver's code large, and the page's address.
var codeShown = regexp.MustCompile(`(https?://\S+)\s+([0-9A-Z]{4}) ([0-9A-Z]{4})\b`)

// join lets the phone in: a code is asked for at the terminal and opened on the phone, whose digits are
// typed at the terminal.
func (p *phone) join(t *terminal) error {
	var code []string
	var digits string
	return inOrder(
		func() error {
			return t.insist(f3, func(s string) bool { return shows(s, "Web mirror", "approver's code") })
		},
		func() error { return t.insist("a", codeShown.MatchString) },
		func() error {
			code = codeShown.FindStringSubmatch(t.text())
			return p.Do(chromedp.Navigate(mirror.Link(code[1], code[2]+code[3])))
		},
		func() error { return p.Until("document.getElementById('code').value === '" + code[2] + code[3] + "'") },
		func() error {
			return p.Do(chromedp.SetValue(chromedp.ID("name"), p.name), chromedp.Tap(chromedp.CSS("#door-form button")))
		},
		func() (err error) {
			if err = p.Until("/^[0-9]{4}$/.test(document.getElementById('digits').textContent)"); err == nil {
				digits, err = p.JS("document.getElementById('digits').textContent")
			}
			return err
		},
		func() error { return t.await(p.name+" at 127.0.0.1 wants to approve", "four digits") },
		func() error { return t.press(digits) },
		func() error { return t.await("four digits on their screen: " + digits) },
		func() error { return t.press(enter) },
		func() error { return p.UntilText("who", p.name, "approver") },
		func() error { return p.UntilText("link", "live") },
		func() error { return t.await("on · 1 connected", "approver", p.name) },
		func() error { return t.insist(escape, func(s string) bool { return !shows(s, "Web mirror") }) },
	)
}

// insist touches a button of the card until the page is as it is waited for: a card that has just moved
// takes no touch, as it is for people.
func (p *phone) insist(id, expression string) error {
	on := fmt.Sprintf("(b => !b.disabled && b.checkVisibility())(document.getElementById(%q))", id)
	for late := time.Now().Add(patience); time.Now().Before(late); {
		if err := p.Until("(" + expression + ") || " + on); err != nil {
			return err
		}
		if there, err := p.JS(expression); err != nil || there == "true" {
			return err
		}
		if err := p.Do(chromedp.Tap(chromedp.ID(id))); err != nil {
			return err
		}
		there, err := p.JS("new Promise((done) => { const late = performance.now() + 1000, look = () => (" + expression + ") || performance.now() > late ? done(" + expression + ") : setTimeout(look, 15); look(); })")
		if err != nil || there == "true" {
			return err
		}
	}
	return fmt.Errorf("touching %s changes nothing", id)
}

// inOrder takes one step after the other until one fails.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// resolution is how the journal says that an approval ended.
type resolution struct {
	Status string
	Reason string
	By     by
}

// by is who decided, and at which screen.
type by struct{ Screen, Name string }

// resolutions are those of all sessions, in order.
func resolutions(state string) (all []resolution, err error) {
	files, err := filepath.Glob(filepath.Join(state, "sessions", "*", "events.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(b)) {
			var e struct {
				Type    string
				Payload resolution
			}
			if strings.Contains(line, `"approval.resolved"`) && json.Unmarshal([]byte(line), &e) == nil && e.Type == "approval.resolved" {
				all = append(all, e.Payload)
			}
		}
	}
	return all, nil
}
