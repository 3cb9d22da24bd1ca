package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The keys of the pictures beside those of the checks.
const (
	tab = "\t"
	up  = "\x1b[A"
)

// picture is one picture of the docs: how the studio is started and what is done before.
type picture struct {
	name       string
	cols, rows int
	args       []string
	steps      []func(*terminal) error
}

func shown(words ...string) func(*terminal) error {
	return func(t *terminal) error { return t.await(words...) }
}

func pressed(keys string) func(*terminal) error {
	return func(t *terminal) error { return t.press(keys) }
}

func ready(t *terminal) error {
	return errors.Join(t.await("●"), t.insist(ctrlD, func(s string) bool { return strings.Contains(s, "› ") && strings.Contains(s, "demo-account") }))
}

// album is all of the pictures.
func album() []picture {
	dark := []string{"--theme", "dark", "--lang", "en"}
	running := []func(*terminal) error{ready, pressed(enter), shown("running", "Prospecting-CN: CPA")}
	asked := []func(*terminal) error{ready, pressed(enter), shown("APPROVAL", "digest")}
	expired := append(append([]func(*terminal) error{}, asked...), shown("APPROVAL_EXPIRED", "run completed"))
	inspected := append(append([]func(*terminal) error{}, asked...), pressed(tab), pressed(strings.Repeat(up, 2)), pressed(enter), shown("caused by"))
	return []picture{
		{"idle", 140, 36, dark, []func(*terminal) error{shown("Message", "ads-analysis", "model ")}},
		{"running", 140, 36, dark, running},
		{"approval", 140, 36, dark, asked},
		{"expired", 140, 36, append([]string{"--approval-expiry", "1s"}, dark...), expired},
		{"inspector", 140, 36, dark, inspected},
		{"projector", 140, 36, []string{"--theme", "projector", "--lang", "en"}, asked},
		{"small", 80, 24, dark, asked},
		{"chinese", 140, 36, []string{"--theme", "dark", "--lang", "zh"}, []func(*terminal) error{ready, pressed(enter), shown("审批", "摘要")}},
	}
}

// still waits until the program has drawn all that it has to: nothing comes for a while. A clock on
// the screen comes once a second.
func (t *terminal) still() {
	for t.until(300*time.Millisecond, changedFrom(t.text())) {
		continue
	}
}

func changedFrom(was string) func(string) bool { return func(now string) bool { return now != was } }

// drawPictures makes each picture in a state directory of its own.
func drawPictures(binary, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, p := range album() {
		err := inState(func(state string) error {
			t, err := open(binary, state, p.cols, p.rows, p.args...)
			if err != nil {
				return err
			}
			defer t.close()
			for _, step := range p.steps {
				if err := step(t); err != nil {
					return err
				}
			}
			t.still()
			return os.WriteFile(filepath.Join(folder, p.name+".svg"), []byte(t.svg()), 0o644)
		})
		if err != nil {
			return errors.Join(errors.New(p.name), err)
		}
	}
	return nil
}
