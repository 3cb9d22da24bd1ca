package main

import (
	"fmt"
	"slices"
	"strings"

	"agentstudio/engine"
)

// eventsPage is made of the engine's source and of a real run of the demo.
func eventsPage() (string, error) {
	src, err := readSource("engine")
	if err != nil {
		return "", err
	}
	kinds, err := src.kinds()
	if err != nil {
		return "", err
	}
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	slices.Sort(names)
	if !slices.Equal(names, engine.Kinds()) {
		return "", fmt.Errorf("the kinds read from the source are not those of the program: %v", names)
	}
	written, err := literals("engine", "tui", ".")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(made + eventsIntroduction)
	used := map[string]bool{}
	for _, k := range kinds {
		fmt.Fprintf(&b, "\n### `%s`\n\n", k.name)
		if doc := src.doc(k.typ); doc != "" {
			fmt.Fprintf(&b, "%s\n\n", doc)
		}
		if !written[k.typ] {
			b.WriteString("Read and shown, but not written by this version.\n\n")
		}
		src.table(&b, k.typ, used)
	}
	b.WriteString("\n## Objects\n\nWhat stands inside payloads.\n")
	for done := map[string]bool{}; len(done) < len(used); {
		for _, t := range sorted(used) {
			if done[t] {
				continue
			}
			done[t] = true
			fmt.Fprintf(&b, "\n### %s\n\n", t)
			if doc := src.doc(t); doc != "" {
				fmt.Fprintf(&b, "%s\n\n", doc)
			}
			src.table(&b, t, used)
		}
	}
	trace, err := demoTrace()
	if err != nil {
		return "", err
	}
	return b.String() + trace, nil
}

func sorted(set map[string]bool) (all []string) {
	for k := range set {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

const eventsIntroduction = "# Events\n\n" +
	"A session is a log of events. The journal holds one a line, `agentstudio run --json` and `agentstudio sessions show ID --json` print one a line:\n\n" +
	"```json\n" +
	`{"eventId":"evt_…","sessionId":"ses_…","sequence":17,"timestamp":"2026-11-30T10:00:00.123Z","type":"tool.requested","runId":"run_…","cause":15,"payload":{…}}` + "\n" +
	"```\n\n" +
	"- `sequence` counts from 1 in each session, without holes.\n" +
	"- `timestamp` is UTC with milliseconds. `runId` is absent outside a run.\n" +
	"- `cause` is the sequence of the event that led to this one, absent at the roots: it makes the log a tree.\n" +
	"- A type that a program doesn't know is kept and shown as unknown; fields it doesn't know are ignored. A payload that doesn't fit its type is `EVENT_MALFORMED`.\n" +
	"- A field marked `?` is left out when it has no value.\n\n" +
	"## Types\n"
