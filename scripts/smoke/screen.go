package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The keys that are pressed, as a terminal sends them.
const (
	ctrlD = "\x04"
	ctrlN = "\x0e"
	ctrlQ = "\x11"
	ctrlY = "\x19"
	enter = "\r"
)

// onScreen are the checks that press keys.
func onScreen() []check {
	all := []check{}
	for _, size := range [][2]int{{160, 45}, {100, 30}, {80, 24}} {
		all = append(all, check{fmt.Sprintf("the demo on a terminal of %dx%d, approved with Ctrl+Y", size[0], size[1]),
			func(binary, state string) error { return demo(binary, state, size[0], size[1], approveIt, oneReport) }})
	}
	return append(all,
		check{"the demo denied with Ctrl+N writes nothing", func(binary, state string) error {
			return demo(binary, state, 120, 32, denyIt, noReport)
		}},
		check{"an approval that nobody answers expires and writes nothing", func(binary, state string) error {
			return demo(binary, state, 120, 32, leaveIt, noReport, "--approval-expiry", "1s")
		}},
		check{"a picture's path is pasted, the picture looked at and sent", shownPicture},
		check{"a key is sent to its server and is nowhere else, children and command lines included", keyStaysInside},
		check{"an editor gets the terminal, ^C and all, and gives the message back", edited},
		check{"the demo as plain lines, approved with 1", plainly},
		check{"a run that asks on the terminal takes yes", func(binary, state string) error {
			return asked(binary, state, "yes\r", 0, oneReport)
		}},
		check{"a run that asks on the terminal takes anything else as no", func(binary, state string) error {
			return asked(binary, state, "y\r", 5, noReport)
		}},
		check{"a run that asks on the terminal and gets no answer goes on", func(binary, state string) error {
			return asked(binary, state, "", 5, noReport, "--approval-expiry", "1s")
		}},
	)
}

// demo plays the demo on the screen: fill in the prompt, send it, meet the approval, wait for the
// run's end, quit, and look at what was written.
func demo(binary, state string, cols, rows int, answer func(*terminal) error, written func(string) error, args ...string) error {
	t, err := open(binary, state, cols, rows, args...)
	if err != nil {
		return err
	}
	defer t.close()
	steps := []func() error{
		func() error { return t.await("Agent Studio", "idle") },
		func() error { return t.insist(ctrlD, func(s string) bool { return shows(s, "› Use the") }) },
		func() error { return t.press(enter) },
		func() error { return t.await("APPROVAL") },
		func() error { return answer(t) },
		func() error { return t.awaitIdle() },
		func() error { return t.press(ctrlQ) },
		func() error { return ended(t) },
		func() error { return t.restored() },
		func() error { return written(state) },
		func() error { return t.toldWhere(state) },
	}
	for _, s := range steps {
		if err := s(); err != nil {
			return err
		}
	}
	return nil
}

// gone is whether the approval panel is closed. The codes APPROVAL_EXPIRED and APPROVAL_DENIED stay
// on the screen after it, so its title is looked for as a word of its own.
func gone(s string) bool { return !shows(strings.ReplaceAll(s, "APPROVAL_", ""), "APPROVAL") }

func approveIt(t *terminal) error { return t.insist(ctrlY, gone) }

func denyIt(t *terminal) error {
	err := t.insist(ctrlN, func(s string) bool { return shows(s, "Reason") })
	return errors.Join(err, t.insist("not today"+enter, gone))
}

func leaveIt(t *terminal) error {
	if !t.until(patience, gone) {
		return fmt.Errorf("the approval does not expire; the screen shows:\n%s", t.text())
	}
	return nil
}

// awaitIdle waits for the run's end, which the header tells.
func (t *terminal) awaitIdle() error {
	idle := func(s string) bool { first, _, _ := strings.Cut(s, "\n"); return shows(first, "idle") }
	if !t.until(patience, idle) {
		return fmt.Errorf("the run does not end; the screen shows:\n%s", t.text())
	}
	return nil
}

// restored checks that the terminal was given back as it was: the first screen, with a cursor,
// and without reports of mouse, focus and pastes.
func (t *terminal) restored() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.all.String()
	for _, mode := range []string{"1049", "1002", "1004", "2004"} {
		on, off := strings.LastIndex(all, "\x1b[?"+mode+"h"), strings.LastIndex(all, "\x1b[?"+mode+"l")
		if on > off {
			return fmt.Errorf("mode %s is left switched on", mode)
		}
	}
	if strings.LastIndex(all, "\x1b[?25l") > strings.LastIndex(all, "\x1b[?25h") {
		return errors.New("the cursor is left hidden")
	}
	return nil
}

// toldWhere checks that whoever leaves the studio is told where the report lies.
func (t *terminal) toldWhere(state string) error {
	all, err := reports(state)
	if err != nil || len(all) == 0 {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, after, _ := cutLast(t.all.String(), "\x1b[?1049l")
	if !strings.Contains(after, "report.md") {
		return fmt.Errorf("the studio ends without saying where the report is: %q", after)
	}
	return nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// asked runs the demo without a screen but with a terminal to ask on.
func asked(binary, state, answer string, status int, written func(string) error, args ...string) error {
	t, err := open(binary, state, 100, 60, append([]string{"run", prompt}, args...)...)
	if err != nil {
		return err
	}
	defer t.close()
	if err := t.await("Type yes to approve"); err != nil {
		return err
	}
	if err := t.press(answer); err != nil {
		return err
	}
	got, err := t.exit()
	if err == nil && got != status {
		err = fmt.Errorf("status %d, want %d\n%s", got, status, t.text())
	}
	return errors.Join(err, written(state))
}

// printPicture prints what a person sees while the demo waits for an approval.
func printPicture(binary, size string) error {
	var cols, rows int
	if _, err := fmt.Sscanf(size, "%dx%d", &cols, &rows); err != nil {
		return fmt.Errorf("-size takes columns x rows, as in 120x32, not %q", size)
	}
	return inState(func(state string) error {
		t, err := open(binary, state, cols, rows)
		if err != nil {
			return err
		}
		defer t.close()
		err = errors.Join(t.await("idle"), t.insist(ctrlD, func(s string) bool { return shows(s, "› Use the") }),
			t.press(enter), t.await("APPROVAL", "digest")) // its keys have come alive
		for line := range strings.Lines(t.text()) {
			fmt.Println(strings.TrimRight(line, " \u00a0\n"))
		}
		return err
	})
}

// edited opens an editor that reads from the terminal it was given, and survives its ^C.
func edited(binary, state string) error {
	script := "#!/bin/sh\ntrap 'echo interrupted' INT\necho editing\nread a\necho first\nuntil read b; do echo again; done\nprintf '%s' \"$a $b\" > \"$1\"\n"
	if err := os.WriteFile(filepath.Join(state, "editor"), []byte(script), 0o700); err != nil {
		return err
	}
	// With a theme given the terminal is not asked for its background: an answer on its way would be read by the editor.
	t, err := open(binary, state, 120, 32, "--theme", "dark")
	if err != nil {
		return err
	}
	defer t.close()
	return errors.Join(t.await("Message", "model "), t.press("\x0f"), t.await("editing"), t.press("from the\r"), t.await("first"), t.press("\x03"), t.await("interrupted", "again"),
		t.press("editor\r"), t.await("› from the editor", "idle"), t.press(ctrlQ), ended(t), t.restored())
}

// plainly plays the demo as lines.
func plainly(binary, state string) error {
	t, err := open(binary, state, 100, 60, "--plain")
	if err != nil {
		return err
	}
	defer t.close()
	return errors.Join(t.await("Type a message"), t.press("/demo\r"), t.await("press Enter to send"), t.press("\r"), t.await("1 approves"),
		t.insist("1\r", func(s string) bool { return shows(s, "approved") }), t.await("run completed"), t.press("/quit\r"), ended(t), oneReport(state))
}

// ended waits for the program's end with status 0.
func ended(t *terminal) error {
	status, err := t.exit()
	if err == nil && status != 0 {
		err = fmt.Errorf("status %d, want 0\n%s", status, t.text())
	}
	return err
}
