package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// patience is how long anything may take before it counts as hanging.
const patience = 60 * time.Second

// prompt is what the bundled scenario answers to.
const prompt = "Use the ads-analysis skill to analyse demo-account over the last 7 days, then have the report-writer skill save a report."

// headless are the checks that need no terminal.
func headless() []check {
	return []check{
		{"version tells what it is", func(binary, state string) error {
			out, err := command(binary, state, 0, "version")
			return contains(out, err, "agentstudio ")
		}},
		{"an unknown flag is a usage error with a near match", func(binary, state string) error {
			out, err := command(binary, state, 2, "--scenari", "x")
			return contains(out, err, "did you mean --scenario?")
		}},
		{"an unknown scenario is a usage error", func(binary, state string) error {
			_, err := command(binary, state, 2, "run", "--approve", "never", "--scenario", "no-such-thing", "x")
			return err
		}},
		{"the demo, always approved, writes its report", approved},
		{"the demo, never approved, ends with status 5 and writes nothing", func(binary, state string) error {
			_, err := command(binary, state, 5, "run", "--approve", "never", prompt)
			return errors.Join(err, noReport(state))
		}},
		{"a picture goes with a message, and one that is none ends the command", sentPicture},
		{"a run that may ask but has no terminal sends nothing", func(binary, state string) error {
			_, err := command(binary, state, 2, "run", prompt)
			return errors.Join(err, noReport(state))
		}},
	}
}

// approved runs the demo with --json and checks that the events are whole.
func approved(binary, state string) error {
	out, err := command(binary, state, 0, "run", "--approve", "always", "--json", prompt)
	if err != nil {
		return err
	}
	want, completed := 1, 0
	lines := bufio.NewScanner(strings.NewReader(out))
	lines.Buffer(nil, 8<<20)
	for ; lines.Scan(); want++ {
		var e struct {
			Sequence int
			Type     string
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("line %d is no event: %w", want, err)
		}
		if e.Sequence != want {
			return fmt.Errorf("sequence %d, want %d", e.Sequence, want)
		}
		if e.Type == "run.completed" {
			completed++
		}
	}
	if completed != 1 {
		return fmt.Errorf("%d events run.completed, want 1", completed)
	}
	return errors.Join(lines.Err(), oneReport(state))
}

// command runs the binary without a terminal and gives all that it printed.
func command(binary, state string, status int, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var out bytes.Buffer
	c := exec.CommandContext(ctx, binary, args...)
	c.Env = environment(state)
	c.Stdout, c.Stderr = &out, &out
	detach(c)
	err := c.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return out.String(), err
	}
	if got := c.ProcessState.ExitCode(); got != status {
		return out.String(), fmt.Errorf("%s: status %d, want %d\n%s", strings.Join(args[:1], " "), got, status, out.String())
	}
	return out.String(), nil
}

// environment keeps the settings of whoever runs the checks out of them.
func environment(state string) []string {
	env := []string{"AGENT_STUDIO_STATE=" + state, "LANG=en_US.UTF-8", "TERM=xterm-256color", "COLORTERM=truecolor", "VISUAL=" + filepath.Join(state, "editor"), "XDG_CONFIG_HOME=" + state}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "SystemRoot", "LOCALAPPDATA", "USERPROFILE"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func contains(out string, err error, want string) error {
	if err == nil && !strings.Contains(out, want) {
		err = fmt.Errorf("%q is missing in:\n%s", want, out)
	}
	return err
}
