package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"

	"agentstudio/mirror/chromium"
)

// photo is a picture as a camera writes it: it lies on its side and says so.
//
//go:embed testdata/photo.jpg
var photo []byte

// question is a scenario that asks at once.
//
//go:embed testdata/question.yaml
var question []byte

// onPhone are the checks in which a phone takes part. Where there is no Chromium they are left out, and
// it is said why, unless nothing may be left out.
func onPhone() ([]check, error) {
	if _, found := chromium.Find(); !found {
		if os.Getenv("CI") == "true" {
			return nil, fmt.Errorf("no Chromium; with CI=true the demo must be played from a phone")
		}
		fmt.Println("skip  everything from a phone: there is no Chromium here")
		return nil, nil
	}
	return []check{
		{"the demo with a picture from a phone, approved there", func(binary, state string) error {
			return withPhone(binary, state, func(t *terminal, p *phone) error { return p.wholeDemo(t, state) })
		}},
		{"a phone denies with a reason, and nothing is written", func(binary, state string) error {
			return asking(binary, state, func(t *terminal, p *phone) error { return p.denies(t, state) })
		}},
		{"terminal and phone decide at once, and one counts", func(binary, state string) error {
			return asking(binary, state, func(t *terminal, p *phone) error { return p.races(t, state) })
		}},
		{"an approval that expires says so on a phone, and nothing is written", func(binary, state string) error {
			return asking(binary, state, func(t *terminal, p *phone) error { return p.waits(t, state) }, "--approval-expiry", "3s")
		}},
	}, nil
}

// asking is withPhone with a run that asks at once.
func asking(binary, state string, play func(*terminal, *phone) error, args ...string) error {
	at := filepath.Join(state, "question.yaml")
	if err := os.WriteFile(at, question, 0o600); err != nil {
		return err
	}
	return withPhone(binary, state, play, append([]string{"--scenario", at}, args...)...)
}

// wholeDemo sends a picture from the phone, plays the demo at the terminal, and decides on the phone.
func (p *phone) wholeDemo(t *terminal, state string) error {
	at := filepath.Join(state, "photo.jpg")
	return inOrder(
		func() error { return os.WriteFile(at, photo, 0o600) },
		func() error { return p.Do(chromedp.SetUploadFiles(chromedp.ID("photo"), []string{at})) },
		func() error { return p.UntilText("tray", "photo.jpg", "taken in · 40×24") },
		func() error {
			return p.Until("(i => i && i.src.startsWith('blob:') && i.naturalWidth === 40)(document.querySelector('#tray img'))")
		},
		func() error { return t.await("photo.jpg", "40×24", "by Ada") },
		func() error { return attached(state, 1) },
		func() error { return t.insist(ctrlD, func(s string) bool { return shows(s, "› Use the") }) },
		func() error { return t.press(enter) },
		func() error { return p.UntilText("chat", "Use the ads-analysis skill", "photo.jpg", "40 × 24 pixels") },
		func() error { return p.UntilText("phase", "waiting for you") },
		func() error { return t.await("APPROVAL", "digest") },
		func() error { return noReport(state) },
		func() error { return p.readAndApprove("approved by Ada · from the mirror") },
		func() error { return t.closes() },
		func() error { return t.await("approved · Ada") },
		func() error { return p.UntilText("receipt-end", "save_report_draft · done") },
		func() error { return t.awaitIdle() },
		func() error { return p.UntilText("chat", "report.md has been saved") },
		func() error { return oneReport(state) },
		func() error { return p.savesReport(state) },
		func() error { return resolved(state, resolution{Status: "approved", By: by{"mirror", "Ada"}}) },
	)
}

// savesReport saves the report on the phone, where it is what was written.
func (p *phone) savesReport(state string) error {
	if err := p.Tap("tab-files"); err != nil {
		return err
	}
	name, at, err := p.Saved(state, func() error { return p.Do(chromedp.Tap(chromedp.CSS("#files button[aria-label='Save report.md']"))) })
	if err != nil {
		return err
	}
	saved, err := os.ReadFile(at)
	if err != nil {
		return err
	}
	written, err := reports(state)
	if err == nil && (name != "report.md" || len(written) != 1 || string(saved) != written[0]) {
		err = fmt.Errorf("the phone saved %s of %d bytes", name, len(saved))
	}
	return err
}

// readAndApprove opens the question's text to its end with a finger, approves, and waits for the
// receipt. Nothing of the card but its text needs scrolling.
func (p *phone) readAndApprove(receipt string) error {
	const whole = "(c => c.scrollHeight <= c.clientHeight && c.getBoundingClientRect().bottom <= document.getElementById('foot').getBoundingClientRect().top)(document.getElementById('card'))"
	return inOrder(
		func() error { return p.UntilOn("deny") },
		func() error { return p.Until(whole) }, // buttons and all
		func() error { return p.SwipeToEnd("card-box") },
		func() error {
			return p.insist("approve", "document.getElementById('receipt-text').textContent.startsWith('"+receipt+"')")
		},
	)
}

// closes waits for the approval panel to be closed.
func (t *terminal) closes() error {
	if !t.until(patience, gone) {
		return fmt.Errorf("the approval panel stays")
	}
	return nil
}

// resolved fails unless the journals have exactly these decisions.
func resolved(state string, want ...resolution) error {
	got, err := resolutions(state)
	if err == nil && fmt.Sprint(got) != fmt.Sprint(want) {
		err = fmt.Errorf("the journal has %v, want %v", got, want)
	}
	return err
}

// asked sends a message at the terminal and waits until both screens have the question and take an answer.
func (p *phone) asked(t *terminal, which string) error {
	return inOrder(
		func() error { return t.press("Ask me " + which + "." + enter) },
		func() error { return t.await("APPROVAL", "digest") },
		func() error { return p.UntilOn("deny") },
	)
}

func (p *phone) denies(t *terminal, state string) error {
	return inOrder(
		func() error { return p.asked(t, "first") },
		func() error { return p.insist("deny", "document.getElementById('reason').checkVisibility()") },
		func() error { return p.Do(chromedp.SendKeys(chromedp.ID("reason"), "not <today>")) },
		func() error {
			return p.insist("deny-send", "document.getElementById('receipt-text').textContent.startsWith('denied by Ada · from the mirror')")
		},
		func() error { return p.UntilText("receipt-text", "not <today>") },
		func() error { return t.closes() },
		func() error { return t.await("denied · Ada", "not <today>") },
		func() error { return t.awaitIdle() },
		func() error { return noReport(state) },
		func() error {
			return resolved(state, resolution{Status: "denied", Reason: "not <today>", By: by{"mirror", "Ada"}})
		},
	)
}

func (p *phone) waits(t *terminal, state string) error {
	return inOrder(
		func() error { return t.press("Ask me first." + enter) },
		func() error { return p.Until("/^0:0[0-3]$/.test(document.getElementById('card-time').textContent)") },
		func() error { return p.UntilText("receipt-text", "expired") },
		func() error { return p.Until("document.getElementById('card').hidden") },
		func() error { return t.awaitIdle() },
		func() error { return t.closes() },
		func() error { return t.await("APPROVAL_EXPIRED") },
		func() error { return noReport(state) },
		func() error { return resolved(state, resolution{Status: "expired", By: by{"policy", "expiry"}}) },
	)
}
