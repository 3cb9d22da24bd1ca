// Package tool holds the built-in tools, a closed list: one file each, with a .md beside it that
// describes the tool to the model. No tool runs programs, reaches the network or writes into the
// workspace.
//
// A tool is a small value without state of its own, so all of them may be used by many goroutines
// at once. Arguments are structs whose JSON Schema is made from their fields; what does not fit is
// INVALID_ARGUMENTS with words that name the field and say what to do.
//
// What the reading tools give the model is text of at most 32 KiB, and data for programs beside it
// that together with the text stays below 64 KiB. Whatever a limit cut is counted, and the text
// says how to read on. Control characters in that text are shown as marks (see mark), since what a
// model copies ends up on a screen.
package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"agentstudio/engine"
	"agentstudio/engine/workspace"
)

// All is the closed list of one session's tools, in the order in which the model is told of them.
func All(ws *workspace.Workspace, env engine.Env) []engine.Tool {
	return []engine.Tool{
		NewRead(ws),
		NewGrep(ws),
		NewFind(ws),
		NewLs(ws),
		NewMetrics(),
		NewReport(env.Artifacts),
	}
}

// reading is the Spec of a tool that only reads.
func reading(name, doc string, parameters json.RawMessage) engine.Spec {
	return engine.Spec{Name: name, Description: doc, Parameters: parameters, Policy: engine.Allow, Replay: engine.ReplaySafe}
}

// summary is one line of at most 200 characters.
func summary(format string, args ...any) string {
	line := mark(strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
	if utf8.RuneCountInString(line) <= 200 {
		return line
	}
	return string([]rune(line)[:199]) + "…"
}

// count is a number with its noun, as in "1 match" or "2 matches".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// note is a remark of ours in a text for the model, told from the file's own lines by brackets.
func note(format string, args ...any) string { return "[" + fmt.Sprintf(format, args...) + "]" }
