package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"agentstudio/engine"
	"agentstudio/engine/workspace"
)

//go:embed read.md
var readDoc string

const maxReadLines = 2000

type readArgs struct {
	Path   string `json:"path" jsonschema:"the file, relative to the workspace, or skill:NAME/FILE"`
	Offset int    `json:"offset,omitempty" jsonschema:"the first line to read, counted from 1"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many lines to read, at most 2000"`
}

// ReadData is what read gives to programs. An empty file has startLine and endLine 0.
type ReadData struct {
	Path       string `json:"path"` // canonical
	StartLine  int    `json:"startLine"`
	EndLine    int    `json:"endLine"`
	TotalLines int    `json:"totalLines"`
	Bytes      int    `json:"bytes"`      // of the file
	LineEnding string `json:"lineEnding"` // LF, CRLF, CR, mixed or none
	Note       string `json:"note,omitempty"`
}

// read is the tool of this name, over one session's roots.
type read struct {
	ws   *workspace.Workspace
	args arguments[readArgs]
}

// NewRead makes the tool read: one text file, a window of lines. Its errors are INVALID_ARGUMENTS
// (an offset past the end, too), the workspace's codes, BINARY_FILE and FILE_TOO_LARGE (32 MiB).
func NewRead(ws *workspace.Workspace) engine.Tool {
	return read{ws: ws, args: argumentsOf[readArgs]("read", func(f map[string]*jsonschema.Schema) {
		f["path"].MinLength = jsonschema.Ptr(1)
		f["offset"].Minimum, f["offset"].Maximum = jsonschema.Ptr(1.0), jsonschema.Ptr(1e9)
		f["limit"].Minimum, f["limit"].Maximum = jsonschema.Ptr(1.0), jsonschema.Ptr(float64(maxReadLines))
	})}
}

// Spec describes the tool.
func (t read) Spec() engine.Spec { return reading("read", readDoc, t.args.parameters()) }

// Prepare checks the arguments and the path's spelling, and names the location.
func (t read) Prepare(_ context.Context, raw json.RawMessage) (engine.Plan, error) {
	args, err := t.args.decode(raw)
	if err != nil {
		return engine.Plan{}, err
	}
	loc, err := t.ws.Resolve(args.Path)
	if err != nil {
		return engine.Plan{}, err
	}
	plan := engine.Plan{Summary: summary("Reads %s", loc), Reads: []string{loc.String()}}
	if args.Offset > 1 {
		plan.Summary = summary("Reads %s from line %d", loc, args.Offset)
	}
	return plan, nil
}

// Run reads the file.
func (t read) Run(ctx context.Context, c engine.Call) (engine.Result, error) {
	args, err := t.args.decode(c.Args)
	if err != nil {
		return engine.Result{}, err
	}
	raw, loc, err := t.ws.ReadFile(ctx, args.Path, maxFile)
	if err != nil {
		return engine.Result{}, err
	}
	doc, err := parse(loc, raw)
	if err != nil {
		return engine.Result{}, err
	}
	offset := max(args.Offset, 1)
	if offset > max(doc.lines, 1) {
		return engine.Result{}, engine.Errorf(engine.InvalidArguments, "offset %d is past the end: %s has %s",
			offset, loc, count(doc.lines, "line", "lines")).With("field", "offset").With("totalLines", doc.lines)
	}
	w := doc.window(offset, min(max(args.Limit, 0), maxReadLines))
	return w.result(loc, len(raw))
}

// window is the part of a document that is shown.
type window struct {
	doc        document
	text       string
	start, end int // lines, from 1; 0 and 0 of an empty file
	leftBytes  int
	longLine   int // the bytes of the one line that did not fit, or 0
}

// window takes lines from offset on while they fit; limit 0 means as many as may be.
func (d document) window(offset, limit int) window {
	if limit == 0 {
		limit = maxReadLines
	}
	w := window{doc: d, leftBytes: len(d.text)}
	var b strings.Builder
	for l := range d.each() {
		if l.number < offset {
			w.leftBytes = len(d.text) - l.next
			continue
		}
		shown := mark(l.text)
		if l.number == offset && len(shown) > maxText {
			cut := cutAt(shown, maxText)
			b.WriteString(cut)
			w.start, w.end, w.longLine = l.number, l.number, len(shown)
			w.leftBytes = len(d.text) - l.next + len(shown) - len(cut)
			break
		}
		if l.number-offset >= limit || b.Len()+len(shown)+1 > maxText {
			break
		}
		if w.start == 0 {
			w.start = l.number
		}
		b.WriteString(shown + "\n")
		w.end, w.leftBytes = l.number, len(d.text)-l.next
	}
	w.text = b.String()
	return w
}

func (w window) result(loc workspace.Location, size int) (engine.Result, error) {
	notes := w.doc.notes
	if w.doc.ending == "CRLF" || w.doc.ending == "CR" || w.doc.ending == "mixed" {
		notes = append(notes, w.doc.ending+" line ends")
	}
	if strings.ContainsFunc(strings.ReplaceAll(w.doc.text, "\r", ""), isControl) || (w.doc.sep == "\n" && strings.Contains(w.text, "␍")) {
		notes = append(notes, "control characters are shown as marks such as ␛")
	}
	data, err := json.Marshal(ReadData{Path: loc.String(), StartLine: w.start, EndLine: w.end, TotalLines: w.doc.lines,
		Bytes: size, LineEnding: w.doc.ending, Note: strings.Join(notes, "; ")})
	if err != nil {
		return engine.Result{}, err
	}
	var shown []string
	for _, n := range notes {
		shown = append(shown, note("%s", n))
	}
	res := engine.Result{Data: data}
	if w.doc.text == "" {
		shown = append(shown, note("%s is empty", loc))
	}
	if w.longLine > 0 {
		shown = append(shown, note("line %d is longer than one answer: %d of its %d bytes are shown; grep with this path shows the piece around a match", w.end, len(w.text), w.longLine))
	}
	if w.leftBytes > 0 {
		res.LeftOut = &engine.LeftOut{Bytes: w.leftBytes, Lines: w.doc.lines - w.end}
		shown = append(shown, w.readOn(size))
	}
	res.Content = withNotes(w.text, shown)
	return res, nil
}

// readOn says what is missing and how to get it.
func (w window) readOn(size int) string {
	more := ""
	if w.end < w.doc.lines {
		more = note("read on with offset %d", w.end+1)
	}
	shown := note("lines %d to %d of %d shown, the file has %d bytes; %s and %d bytes left out",
		w.start, w.end, w.doc.lines, size, count(w.doc.lines-w.end, "line", "lines"), w.leftBytes)
	return strings.TrimSuffix(shown+"\n"+more, "\n")
}

// cutAt shortens s to at most limit bytes, at a character's boundary.
func cutAt(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
