package tool

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"agentstudio/engine"
)

//go:embed report.md
var reportDoc string

const (
	reportName  = "report.md"
	reportMIME  = "text/markdown; charset=utf-8"
	maxTitle    = 200
	maxReport   = 48 << 10
	noReportYet = "none"
)

// reportArgs are the arguments of save_report_draft.
type reportArgs struct {
	Title string `json:"title,omitempty" jsonschema:"one line; becomes the first heading of the file"`
	Body  string `json:"body" jsonschema:"the whole report as Markdown"`
}

// report is the tool save_report_draft, bound to one session's artifacts.
type report struct {
	artifacts engine.ArtifactWriter
	args      arguments[reportArgs]
}

// NewReport makes the tool save_report_draft over one session's artifacts. Without a writer each
// Run is WRITE_FAILED.
func NewReport(artifacts engine.ArtifactWriter) engine.Tool {
	return report{artifacts: artifacts, args: argumentsOf[reportArgs]("save_report_draft", func(f map[string]*jsonschema.Schema) {
		f["title"].MaxLength = jsonschema.Ptr(maxTitle)
		f["body"].MinLength = jsonschema.Ptr(1)
	})}
}

// Spec describes the tool.
func (t report) Spec() engine.Spec {
	return engine.Spec{
		Name: "save_report_draft", Description: reportDoc, Parameters: t.args.parameters(), Policy: engine.Ask, Replay: engine.ReplayNever,
	}
}

// Prepare shows exactly the bytes that Run would write. Errors: INVALID_ARGUMENTS.
func (t report) Prepare(ctx context.Context, raw json.RawMessage) (engine.Plan, error) {
	text, err := t.text(raw)
	if err != nil {
		return engine.Plan{}, err
	}
	plan := engine.Plan{
		Summary: fmt.Sprintf("Writes %s in this session (%d bytes). Nothing else changes.", reportName, len(text)),
		Risk:    "writesReport", Preview: text,
	}
	old, ok := t.artifacts.(engine.ArtifactStore) // one that can be read binds the approval to what it replaces
	if !ok {
		return plan, nil
	}
	before, err := old.Read(ctx, reportName)
	switch {
	case errors.Is(err, engine.RefNotFound):
		plan.Facts = map[string]string{reportName: noReportYet}
	case err != nil:
		return engine.Plan{}, err
	default:
		plan.Facts = map[string]string{reportName: digest(before)}
		plan.Risk = "replacesReport"
		plan.Summary = fmt.Sprintf("Replaces %s of this session (%d bytes). Nothing else changes.", reportName, len(text))
	}
	return plan, nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Run writes report.md, atomically. Errors: INVALID_ARGUMENTS, WRITE_FAILED.
func (t report) Run(ctx context.Context, c engine.Call) (engine.Result, error) {
	text, err := t.text(c.Args)
	if err != nil {
		return engine.Result{}, err
	}
	if t.artifacts == nil {
		return engine.Result{}, engine.Errorf(engine.WriteFailed, "this session has no place for files")
	}
	a, err := t.artifacts.WriteArtifact(ctx, reportName, reportMIME, []byte(text))
	if err != nil {
		return engine.Result{}, err
	}
	sum := digest([]byte(text))
	data, err := json.Marshal(map[string]any{"name": a.Name, "bytes": len(text), "sha256": sum})
	if err != nil {
		return engine.Result{}, fmt.Errorf("save_report_draft: %w", err)
	}
	return engine.Result{
		Content: fmt.Sprintf("Saved %s (%d bytes, sha256 %s).", a.Name, len(text), sum[:12]),
		Data:    data, Artifacts: []engine.Artifact{a},
	}, nil
}

// text makes the file out of the arguments: line ends as LF, one at the end. Control
// characters are refused, since nobody could be shown what they would do in another program.
func (t report) text(raw json.RawMessage) (string, error) {
	args, err := t.args.decode(raw)
	if err != nil {
		return "", err
	}
	title, body := strings.TrimSpace(args.Title), lineFeeds(args.Body)
	switch {
	case strings.TrimSpace(body) == "":
		return "", engine.Errorf(engine.InvalidArguments, "body is empty; give the whole report as Markdown")
	case strings.ContainsAny(title, "\r\n"):
		return "", engine.Errorf(engine.InvalidArguments, "title must be one line")
	case len(body) > maxReport:
		return "", engine.Errorf(engine.InvalidArguments, "body has %d bytes; the limit is %d", len(body), maxReport)
	}
	text := strings.Trim(body, "\n") + "\n"
	if title != "" {
		text = "# " + title + "\n\n" + text
	}
	for i, r := range text {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return "", engine.Errorf(engine.InvalidArguments, "the report holds the control character U+%04X at byte %d; leave it out", r, i)
		}
	}
	return text, nil
}

func lineFeeds(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
