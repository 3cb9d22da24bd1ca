package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/chromedp"
)

// races has terminal and phone approve the same question, in either order and at the same time. Each
// time exactly one of them counts, and both screens say which.
func (p *phone) races(t *terminal, state string) error {
	for i, r := range []struct{ question, title, first string }{{"first", "one", "terminal"}, {"second", "two", "phone"}, {"third", "three", ""}, {"fourth", "four", ""}} {
		if err := p.race(t, r.question, r.first); err != nil {
			return fmt.Errorf("the %s question: %w", r.question, err)
		}
		all, err := resolutions(state)
		if err != nil {
			return err
		}
		if len(all) != i+1 {
			return fmt.Errorf("the journal has %v after %d questions", all, i+1)
		}
		if err := p.told(t, all[i], "Draft "+r.title); err != nil {
			return fmt.Errorf("the %s question: %w", r.question, err)
		}
	}
	return nil
}

// race has both answer one question: first terminal or phone, or both at the same time.
func (p *phone) race(t *terminal, question, first string) error {
	var x, y float64
	return inOrder(
		func() error { return p.asked(t, question) },
		func() error { return p.SwipeToEnd("card-box") },
		func() error { return p.UntilOn("approve") },
		func() (err error) { x, y, err = p.Place("approve"); return err },
		func() error {
			return both(first, func() error { return t.press(ctrlY) }, func() error { return p.Do(chromedp.TapXY(x, y)) })
		},
		func() error { return t.closes() },
		func() error { return t.awaitIdle() },
	)
}

// told looks that both screens say who decided about the call with a title.
func (p *phone) told(t *terminal, won resolution, title string) error {
	from := map[string]string{"tui": "at the terminal", "mirror": "from the mirror"}[won.By.Screen]
	if won.Status != "approved" || from == "" {
		return fmt.Errorf("the journal has %+v", won)
	}
	said := func(screen string) bool {
		for line := range strings.Lines(screen) {
			if shows(line, "save_report_draft  "+title, "approved by "+won.By.Name) {
				return true
			}
		}
		return false
	}
	if !t.until(patience, said) {
		return fmt.Errorf("the terminal does not say that %s decided", won.By.Name)
	}
	if err := p.UntilText("receipt-text", "approved by "+won.By.Name+" · "+from); err != nil {
		return err
	}
	return p.Until("document.getElementById('card').hidden")
}

// both does two things, one after the other without waiting for what comes of it, or at the same time.
func both(first string, terminal, phone func() error) error {
	switch first {
	case "terminal":
		return errors.Join(terminal(), phone())
	case "phone":
		return errors.Join(phone(), terminal())
	}
	var late error
	var work sync.WaitGroup
	work.Go(func() { late = phone() })
	err := terminal()
	work.Wait()
	return errors.Join(err, late)
}
