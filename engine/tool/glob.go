package tool

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agentstudio/engine"
)

// Bounds of a glob. Matching takes twice as long for each pair of braces, and more for each comma.
const (
	maxGlob   = 500
	maxBraces = 4
	maxCommas = 16
)

// glob is a checked pattern.
type glob struct {
	pattern string
	names   bool // matched against the last element only
	folders bool
}

// parseGlob checks a glob; field is the argument it came in. Errors: PATTERN_INVALID.
func parseGlob(field, pattern string) (glob, error) {
	bad := func(format string, args ...any) (glob, error) {
		return glob{}, engine.Errorf(engine.PatternInvalid, field+": "+format, args...).With("field", field)
	}
	g := glob{pattern: strings.TrimPrefix(pattern, "./")}
	if rest, ok := strings.CutSuffix(g.pattern, "/"); ok {
		g.pattern, g.folders = rest, true
	}
	g.names = !strings.Contains(g.pattern, "/")
	switch {
	case g.pattern == "":
		return bad("the pattern is empty; * matches every name")
	case len(pattern) > maxGlob:
		return bad("the pattern is longer than %d bytes", maxGlob)
	case strings.Contains(pattern, "\x00"):
		return bad("the pattern holds a NUL character")
	case strings.Count(pattern, "{") > maxBraces, strings.Count(pattern, "{") > 0 && strings.Count(pattern, ",") > maxCommas:
		return bad("at most %d braces and %d commas; use * or search more than once", maxBraces, maxCommas)
	case strings.HasPrefix(pattern, "/"), "/"+g.pattern != path.Clean("/"+g.pattern):
		return bad("the pattern must be relative and without .. or empty parts; use path for the folder to look in")
	case !doublestar.ValidatePattern(g.pattern):
		return bad("%q is not a valid glob; a [ or { is not closed, or a \\ ends it. Put a \\ before a character that is meant as it is", mark(pattern))
	}
	return g, nil
}

// matches compares with a slash-separated true name.
func (g glob) matches(rel string, isFolder bool) bool {
	if g.folders && !isFolder {
		return false
	}
	if g.names {
		rel = path.Base(rel)
	}
	return doublestar.MatchUnvalidated(g.pattern, rel)
}
