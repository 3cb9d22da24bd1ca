package tool

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"agentstudio/engine"
	"agentstudio/engine/workspace"
)

//go:embed find.md
var findDoc string

const maxPaths = 500

type findArgs struct {
	Pattern string `json:"pattern" jsonschema:"a glob such as *.csv or reports/**/*.md"`
	Path    string `json:"path,omitempty" jsonschema:"the folder to look in; the workspace if left out"`
}

// FindData is what find gives to programs. Total counts all that match.
type FindData struct {
	Paths []string `json:"paths"`
	Total int      `json:"total"`
}

type find struct {
	ws   *workspace.Workspace
	args arguments[findArgs]
}

// NewFind makes the tool find: paths by a glob, honouring .gitignore. Its errors are
// INVALID_ARGUMENTS, PATTERN_INVALID and the workspace's codes.
func NewFind(ws *workspace.Workspace) engine.Tool {
	return find{ws: ws, args: argumentsOf[findArgs]("find", func(f map[string]*jsonschema.Schema) {
		f["pattern"].MinLength = jsonschema.Ptr(1)
	})}
}

// Spec describes the tool.
func (t find) Spec() engine.Spec { return reading("find", findDoc, t.args.parameters()) }

// Prepare checks the arguments, the pattern and the path's spelling.
func (t find) Prepare(_ context.Context, raw json.RawMessage) (engine.Plan, error) {
	args, _, err := t.open(raw)
	if err != nil {
		return engine.Plan{}, err
	}
	loc, err := t.ws.Resolve(args.Path)
	if err != nil {
		return engine.Plan{}, err
	}
	return engine.Plan{Summary: summary("Finds %s in %s", args.Pattern, loc)}, nil
}

func (t find) open(raw json.RawMessage) (findArgs, glob, error) {
	args, err := t.args.decode(raw)
	if err != nil {
		return args, glob{}, err
	}
	args.Path = cmp.Or(args.Path, ".")
	g, err := parseGlob("pattern", args.Pattern)
	return args, g, err
}

// Run walks the folder.
func (t find) Run(ctx context.Context, c engine.Call) (engine.Result, error) {
	args, g, err := t.open(c.Args)
	if err != nil {
		return engine.Result{}, err
	}
	start, err := t.ws.Resolve(args.Path)
	if err != nil {
		return engine.Result{}, err
	}
	out := answer{most: maxPaths}
	data := FindData{Paths: []string{}}
	stats, err := t.ws.Walk(ctx, args.Path, workspace.WalkOptions{Ignore: true}, func(e workspace.Entry) error {
		if !g.matches(relativeTo(start, e.Location), e.Kind == workspace.KindFolder) {
			return nil
		}
		data.Total++
		if path := findPath(e); out.add(findLine(path, e), path) {
			data.Paths = append(data.Paths, path)
		}
		return nil
	})
	if err != nil {
		return engine.Result{}, err
	}
	res := engine.Result{}
	var notes []string
	if data.Total == 0 {
		notes = append(notes, note("nothing in %s matches %s", start, mark(args.Pattern)))
	}
	if left := data.Total - len(data.Paths); left > 0 {
		res.LeftOut = &engine.LeftOut{Entries: left}
		notes = append(notes, note("%d of %d paths shown, %d left out; use a narrower pattern or path", len(data.Paths), data.Total, left))
	}
	notes = append(notes, walkNotes(stats)...)
	res.Content = withNotes(out.text.String(), notes)
	res.Data, err = json.Marshal(data)
	return res, err
}

// relativeTo is the true name of a location below the folder that the search started in.
func relativeTo(start, loc workspace.Location) string {
	if start.Rel() == "." || start == loc {
		return loc.Rel()
	}
	return strings.TrimPrefix(loc.Rel(), start.Rel()+"/")
}

func findPath(e workspace.Entry) string {
	if e.Kind == workspace.KindFolder {
		return e.Location.String() + "/"
	}
	return e.Location.String()
}

func findLine(path string, e workspace.Entry) string {
	switch {
	case e.Protected:
		return path + "  (protected, not readable)"
	case e.Kind == workspace.KindLink:
		return path + "  (link, not followed)"
	case e.Special:
		return path + "  (not a regular file)"
	}
	return path
}

// walkNotes says what a walk could not look into.
func walkNotes(s workspace.WalkStats) []string {
	var notes []string
	if s.Ignored > 0 {
		notes = append(notes, note("%s left out because of .gitignore", count(s.Ignored, "entry", "entries")))
	}
	if s.Unreadable > 0 {
		notes = append(notes, note("%s could not be opened", count(s.Unreadable, "folder", "folders")))
	}
	if s.Truncated {
		notes = append(notes, note("the search ended early: there are too many files or too deep folders; use a narrower path"))
	}
	return notes
}
