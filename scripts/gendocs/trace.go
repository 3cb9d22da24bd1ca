package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"agentstudio/engine"
)

// demo is the run whose trace is printed, as a person would type it.
var demo = []string{"run", "--no-save", "--lang", "en", "--approve", "always", "--json", "--seed", "1", "--clock", "2026-01-01T00:00:00Z",
	"Use the ads-analysis skill to analyse demo-account over the last 7 days, then have the report-writer skill save a report."}

// demoTrace runs the demo and prints its events with what caused each.
func demoTrace() (string, error) {
	cmd := exec.Command("go", append([]string{"run", "."}, demo...)...)
	var faults bytes.Buffer
	cmd.Stderr = &faults
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("the demo: %w\n%s", err, faults.Bytes())
	}
	var b strings.Builder
	b.WriteString("\n## The demo, event by event\n\nWith a clock and a seed given, a run always makes the same events:\n\n```sh\nagentstudio")
	for _, a := range demo {
		if strings.Contains(a, " ") {
			a = strconv.Quote(a)
		}
		b.WriteString(" " + a)
	}
	b.WriteString("\n```\n\n| sequence | type | cause | about |\n| ---: | --- | ---: | --- |\n")
	for line := range bytes.Lines(out) {
		e, err := engine.DecodeEvent(line)
		if err != nil {
			return "", err
		}
		cause := ""
		if e.Cause != 0 {
			cause = strconv.FormatUint(uint64(e.Cause), 10)
		}
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s |\n", e.Seq, e.Kind(), cause, cell(about(e.Payload)))
	}
	return b.String(), nil
}

// about names what an event is about, as far as that doesn't change with every edit of a text.
func about(p engine.Payload) string {
	switch p := p.(type) {
	case engine.ToolRequested:
		return p.Tool + ", " + string(p.Policy.Verdict)
	case engine.ToolStarted:
		return p.Tool
	case engine.ToolCompleted:
		return p.Tool
	case engine.SkillRequested:
		return p.Name
	case engine.SkillLoaded:
		return p.Name
	case engine.ApprovalRequired:
		return p.Tool
	case engine.ApprovalResolved:
		return string(p.Status) + " by " + p.By.Name
	case engine.ArtifactReady:
		return p.Name
	case engine.TurnStarted:
		return "turn " + strconv.Itoa(p.Turn)
	case engine.AssistantCompleted:
		return "stop reason " + string(p.StopReason)
	case engine.UserMessage:
		return "the prompt"
	}
	return ""
}
