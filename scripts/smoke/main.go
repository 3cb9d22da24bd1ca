// Command smoke tries a built agentstudio as a person would: without a screen, and on a terminal
// of its own, where it presses keys and reads what is shown.
//
//	go run ./scripts/smoke BINARY            check everything
//	go run ./scripts/smoke -picture BINARY   print the screen while it waits for an approval
//	go run ./scripts/smoke -pictures docs/pictures BINARY   draw the pictures of the docs
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	picture := flag.Bool("picture", false, "print the screen while it waits for an approval")
	pictures := flag.String("pictures", "", "draw the screen in its states into this folder, as SVG")
	size := flag.String("size", "120x32", "size of the picture's terminal, columns x rows")
	only := flag.String("only", "", "run only the checks whose name holds this text")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: smoke [-only TEXT | -picture | -pictures FOLDER] BINARY")
		os.Exit(2)
	}
	binary, err := filepath.Abs(flag.Arg(0))
	if err == nil && *pictures != "" {
		err = drawPictures(binary, *pictures)
	} else if err == nil && *picture {
		err = printPicture(binary, *size)
	} else if err == nil {
		err = checkAll(binary, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "smoke:", err)
		os.Exit(1)
	}
}

// check is one thing that must hold of the binary; state is a fresh folder for sessions.
type check struct {
	name string
	run  func(binary, state string) error
}

func checkAll(binary, only string) error {
	checks := headless()
	if runtime.GOOS == "windows" {
		fmt.Println("skip  everything on a terminal: Windows has no pseudo-terminal this program can open")
	} else {
		phone, err := onPhone()
		if err != nil {
			return err
		}
		checks = slices.Concat(checks, onScreen(), phone)
	}
	checks = slices.DeleteFunc(checks, func(c check) bool { return !strings.Contains(c.name, only) })
	failed := 0
	for _, c := range checks {
		if err := try(c, binary); err != nil {
			failed++
			fmt.Printf("FAIL  %s\n      %s\n", c.name, strings.ReplaceAll(err.Error(), "\n", "\n      "))
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(checks))
	}
	fmt.Printf("%d checks passed\n", len(checks))
	return nil
}

func try(c check, binary string) error {
	started := time.Now()
	err := inState(func(state string) error { return c.run(binary, state) })
	if err == nil {
		fmt.Printf("ok    %-70s %5.1f s\n", c.name, time.Since(started).Seconds())
	}
	return err
}

// inState gives do a state directory of its own, and removes it.
func inState(do func(state string) error) error {
	state, err := os.MkdirTemp("", "agentstudio-smoke-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(state)
	return do(state)
}

// reports are the report.md files below a state directory, whole.
func reports(state string) (all []string, err error) {
	err = filepath.WalkDir(state, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() != "report.md" {
			return err
		}
		b, err := os.ReadFile(path)
		all = append(all, string(b))
		return err
	})
	return all, err
}

// oneReport fails unless exactly one report was written, with its first heading.
func oneReport(state string) error {
	all, err := reports(state)
	switch {
	case err != nil:
		return err
	case len(all) != 1:
		return fmt.Errorf("%d files report.md, want 1", len(all))
	case !strings.Contains(all[0], "账户总结"):
		return errors.New("report.md has no heading 账户总结")
	}
	return nil
}

// noReport fails if any report was written.
func noReport(state string) error {
	all, err := reports(state)
	if err == nil && len(all) != 0 {
		err = fmt.Errorf("%d files report.md although nothing was approved", len(all))
	}
	return err
}
