package tool

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"agentstudio/engine"
	"agentstudio/engine/workspace"
)

//go:embed ls.md
var lsDoc string

const maxEntries = 500

type lsArgs struct {
	Path string `json:"path,omitempty" jsonschema:"the folder; the workspace itself if left out"`
}

// LsData is what ls gives to programs.
type LsData struct {
	Entries []LsEntry `json:"entries"`
	Total   int       `json:"total"`
}

// LsEntry is one entry of a folder. Bytes is 0 for what is not a file.
type LsEntry struct {
	Name      string `json:"name"` // escaped, see workspace.Escape
	Kind      string `json:"kind"` // file, folder, link or other
	Bytes     int64  `json:"bytes"`
	Protected bool   `json:"protected,omitempty"` // never read
}

type ls struct {
	ws   *workspace.Workspace
	args arguments[lsArgs]
}

// NewLs makes the tool ls: one folder, at most 500 entries. Its errors are INVALID_ARGUMENTS and
// the workspace's codes.
func NewLs(ws *workspace.Workspace) engine.Tool {
	return ls{ws: ws, args: argumentsOf[lsArgs]("ls", nil)}
}

// Spec describes the tool.
func (t ls) Spec() engine.Spec { return reading("ls", lsDoc, t.args.parameters()) }

// Prepare checks the arguments and the path's spelling.
func (t ls) Prepare(_ context.Context, raw json.RawMessage) (engine.Plan, error) {
	args, err := t.args.decode(raw)
	if err != nil {
		return engine.Plan{}, err
	}
	loc, err := t.ws.Resolve(cmp.Or(args.Path, "."))
	if err != nil {
		return engine.Plan{}, err
	}
	return engine.Plan{Summary: summary("Lists %s", loc)}, nil
}

// Run lists the folder.
func (t ls) Run(ctx context.Context, c engine.Call) (engine.Result, error) {
	args, err := t.args.decode(c.Args)
	if err != nil {
		return engine.Result{}, err
	}
	entries, total, err := t.ws.ReadDir(ctx, cmp.Or(args.Path, "."), maxEntries)
	if err != nil {
		return engine.Result{}, err
	}
	out := answer{most: maxEntries}
	data := LsData{Entries: []LsEntry{}, Total: total}
	for _, e := range entries {
		item := LsEntry{Name: e.Name, Kind: string(e.Kind), Bytes: e.Bytes, Protected: e.Protected}
		if !out.add(lsLine(item), item) {
			break
		}
		data.Entries = append(data.Entries, item)
	}
	res := engine.Result{}
	var notes []string
	if total == 0 {
		notes = append(notes, note("the folder is empty"))
	}
	if left := total - len(data.Entries); left > 0 {
		res.LeftOut = &engine.LeftOut{Entries: left}
		notes = append(notes, note("%d of %d entries shown, %d left out; find with a pattern shows the others", len(data.Entries), total, left))
	}
	res.Content = withNotes(out.text.String(), notes)
	res.Data, err = json.Marshal(data)
	return res, err
}

func lsLine(e LsEntry) string {
	size, remark := "-", ""
	if e.Kind == string(workspace.KindFile) {
		size = fmt.Sprint(e.Bytes)
	}
	if e.Protected {
		remark = "  (protected, not readable)"
	}
	return fmt.Sprintf("%-6s %9s  %s%s", e.Kind, size, e.Name, remark)
}
