// Command gendocs writes the pages of docs that are made from the code: events.md, keys.md,
// errors.md, and commands.md, which a test of the program writes because only the program knows
// its commands.
//
//	go run ./scripts/gendocs          write them
//	go run ./scripts/gendocs -check   fail when one of them is stale, changing nothing
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	check := flag.Bool("check", false, "compare instead of writing")
	flag.Parse()
	if err := generate(*check); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

// generate works from the root of the checkout.
func generate(check bool) error {
	events, err := eventsPage()
	if err != nil {
		return err
	}
	pages := []struct{ name, text string }{{"events.md", events}, {"keys.md", keysPage()}, {"errors.md", errorsPage()}}
	var stale []error
	for _, p := range pages {
		at := filepath.Join("docs", p.name)
		if !check {
			if err := os.WriteFile(at, []byte(p.text), 0o644); err != nil {
				return err
			}
			continue
		}
		if was, err := os.ReadFile(at); err != nil || string(was) != p.text {
			stale = append(stale, fmt.Errorf("%s is stale; go run ./scripts/gendocs writes it", at))
		}
	}
	return errors.Join(append(stale, commandsPage(check))...)
}

// commandsPage has the program's own test write or compare the page.
func commandsPage(check bool) error {
	args := []string{"test", "-count=1", "-run", "^TestCommandsPage$", "."}
	if !check {
		args = append(args, "-update")
	}
	out, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("docs/commands.md: %w\n%s", err, out)
	}
	return nil
}

// made is the first line of each page.
const made = "<!-- Made by go run ./scripts/gendocs; change the code, not this file. -->\n\n"

// cell makes text fit into a table's cell.
func cell(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "|", `\|`)), " ")
}
