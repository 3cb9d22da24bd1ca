package tool

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"io/fs"
	"regexp"

	"github.com/google/jsonschema-go/jsonschema"

	"agentstudio/engine"
	"agentstudio/engine/workspace"
)

//go:embed grep.md
var grepDoc string

const (
	maxMatches     = 100
	maxContext     = 10
	maxWindow      = 500 // characters of a line that are shown
	unlimitedItems = 1 << 30
)

type grepArgs struct {
	Pattern    string `json:"pattern" jsonschema:"an RE2 regular expression, or plain text with fixed"`
	Path       string `json:"path,omitempty" jsonschema:"a folder or a file; the workspace if left out"`
	Glob       string `json:"glob,omitempty" jsonschema:"only files that fit this glob, such as *.md"`
	IgnoreCase bool   `json:"ignoreCase,omitempty" jsonschema:"take upper and lower case as the same"`
	Fixed      bool   `json:"fixed,omitempty" jsonschema:"the pattern is plain text"`
	Context    int    `json:"context,omitempty" jsonschema:"how many lines to show around each match, at most 10"`
}

// GrepData is what grep gives to programs. MatchCount counts all lines that match.
type GrepData struct {
	Matches    []GrepMatch `json:"matches"`
	MatchCount int         `json:"matchCount"`
	Skipped    GrepSkipped `json:"skipped"`
}

// GrepMatch is a line that matches. Column is that of its first match, in characters from 1.
type GrepMatch struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"` // the line, or a piece of it around the match
}

// GrepSkipped counts what was not searched.
type GrepSkipped struct {
	Binary     int `json:"binary"`
	Large      int `json:"large"` // over 32 MiB
	Special    int `json:"special"`
	Links      int `json:"links"`
	Protected  int `json:"protected,omitempty"`
	Unreadable int `json:"unreadable,omitempty"`
}

type grep struct {
	ws   *workspace.Workspace
	args arguments[grepArgs]
}

// NewGrep makes the tool grep: lines of text files by an RE2 pattern. Its errors are
// INVALID_ARGUMENTS, PATTERN_INVALID and the workspace's codes. No match is not an error, nor is a
// file that could not be searched: the text says which of the two it was.
func NewGrep(ws *workspace.Workspace) engine.Tool {
	return grep{ws: ws, args: argumentsOf[grepArgs]("grep", func(f map[string]*jsonschema.Schema) {
		f["context"].Minimum, f["context"].Maximum = jsonschema.Ptr(0.0), jsonschema.Ptr(float64(maxContext))
	})}
}

// Spec describes the tool.
func (t grep) Spec() engine.Spec { return reading("grep", grepDoc, t.args.parameters()) }

// Prepare checks the arguments, the patterns and the path's spelling.
func (t grep) Prepare(_ context.Context, raw json.RawMessage) (engine.Plan, error) {
	s, err := t.open(raw)
	if err != nil {
		return engine.Plan{}, err
	}
	return engine.Plan{Summary: summary("Searches %s for %s", s.start, s.args.Pattern)}, nil
}

// open checks a call's arguments and makes the search of them.
func (t grep) open(raw json.RawMessage) (*search, error) {
	args, err := t.args.decode(raw)
	if err != nil {
		return nil, err
	}
	args.Path = cmp.Or(args.Path, ".")
	s := &search{ws: t.ws, args: args, out: answer{most: unlimitedItems}, data: GrepData{Matches: []GrepMatch{}}}
	if s.re, err = compilePattern(args.Pattern, args.Fixed, args.IgnoreCase); err != nil {
		return nil, err
	}
	if args.Glob != "" {
		g, err := parseGlob("glob", args.Glob)
		if err != nil {
			return nil, err
		}
		s.glob = &g
	}
	s.start, err = t.ws.Resolve(args.Path)
	return s, err
}

// Run searches.
func (t grep) Run(ctx context.Context, c engine.Call) (engine.Result, error) {
	s, err := t.open(c.Args)
	if err != nil {
		return engine.Result{}, err
	}
	e, err := t.ws.Stat(ctx, s.args.Path)
	if err != nil {
		return engine.Result{}, err
	}
	if e.Kind == workspace.KindFolder {
		err = s.folder(ctx)
	} else {
		err = s.file(ctx, e, true)
	}
	if err != nil {
		return engine.Result{}, err
	}
	return s.result()
}

// search is one grep on its way.
type search struct {
	ws       *workspace.Workspace
	args     grepArgs
	start    workspace.Location
	re       *regexp.Regexp
	glob     *glob
	out      answer
	data     GrepData
	stats    workspace.WalkStats
	searched int      // files
	notes    []string // about the bytes of what matched
}

func (s *search) folder(ctx context.Context) (err error) {
	s.stats, err = s.ws.Walk(ctx, s.args.Path, workspace.WalkOptions{}, func(e workspace.Entry) error {
		switch {
		case e.Kind == workspace.KindFolder && e.Name == ".git":
			return fs.SkipDir
		case e.Kind != workspace.KindFile, e.Protected:
			return nil // the walk counts them
		case s.glob != nil && !s.glob.matches(relativeTo(s.start, e.Location), false):
			return nil
		}
		return s.file(ctx, e, false)
	})
	s.data.Skipped.Links, s.data.Skipped.Special = s.stats.Links, s.stats.Special
	s.data.Skipped.Protected = s.stats.Protected
	s.data.Skipped.Unreadable += s.stats.Unreadable
	return err
}

// file searches one file. A file that cannot be searched is counted; named says that it was asked
// for by name, so that what the workspace refuses is an error.
func (s *search) file(ctx context.Context, e workspace.Entry, named bool) error {
	raw, err := e.Read(ctx, maxFile)
	switch code := engine.CodeOf(err); {
	case err == nil:
	case code == engine.RunCancelled, code == engine.ToolTimeout:
		return err
	case code == engine.FileTooLarge:
		s.data.Skipped.Large++
		return nil
	case named:
		return err
	default:
		s.data.Skipped.Unreadable++
		return nil
	}
	doc, err := parse(e.Location, raw)
	if err != nil {
		s.data.Skipped.Binary++
		return nil
	}
	s.searched++
	return s.lines(ctx, e.Location, doc)
}
