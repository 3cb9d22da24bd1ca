package workspace

import (
	"context"
	"regexp"
	"strings"
)

// Bounds of one .gitignore file.
const (
	maxIgnoreFile  = 256 << 10
	maxIgnoreRules = 2000
	maxIgnoreLine  = 1024
)

// ignoreRules are the rules in force in a folder, those of outer folders first. It is a value:
// with gives a longer one and leaves the old one as it is.
type ignoreRules []ignoreRule

// ignoreRule is one line of a .gitignore. sabhiram/go-gitignore takes ? literally and does not anchor
// a pattern with a slash in the middle, and a wrapper that mends this is longer than a translation.
type ignoreRule struct {
	base    string // the folder of the file, "." for the root
	pattern *regexp.Regexp
	negated bool
	folders bool // matches folders only
}

// with adds the rules of a folder's .gitignore, if it has one that can be read.
func (rules ignoreRules) with(ctx context.Context, w *Workspace, in folder, loc Location) ignoreRules {
	at := loc.child(".gitignore")
	f, err := w.openIn(ctx, in, ".gitignore", at)
	if err != nil {
		return rules
	}
	defer f.Close() //nolint:errcheck // nothing was written
	data, err := readAll(ctx, f, at, maxIgnoreFile)
	if err != nil {
		return rules
	}
	longer := rules[:len(rules):len(rules)]
	for line := range strings.SplitSeq(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		if rule, ok := parseIgnore(loc.Rel(), line); ok && len(longer)-len(rules) < maxIgnoreRules {
			longer = append(longer, rule)
		}
	}
	return longer
}

// ignored tells whether the last rule that matches a path below the root ignores it.
func (rules ignoreRules) ignored(rel string, isFolder bool) bool {
	for i := len(rules) - 1; i >= 0; i-- {
		rule := rules[i]
		if rule.folders && !isFolder {
			continue
		}
		name := rel
		if rule.base != "." {
			name = strings.TrimPrefix(rel, rule.base+"/")
		}
		if rule.pattern.MatchString(name) {
			return !rule.negated
		}
	}
	return false
}

// parseIgnore reads one line as git does: # comments, ! negates, a slash at the end means folders,
// one elsewhere anchors the pattern at the file's folder.
func parseIgnore(base, line string) (ignoreRule, bool) {
	line = strings.TrimSuffix(line, "\r")
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' || len(line) > maxIgnoreLine {
		return ignoreRule{}, false
	}
	rule := ignoreRule{base: base}
	if line[0] == '!' {
		rule.negated, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		rule.folders, line = true, strings.TrimSuffix(line, "/")
	}
	prefix := "^(?:.*/)?"
	if strings.Contains(line, "/") {
		prefix, line = "^", strings.TrimPrefix(line, "/")
	}
	if line == "" {
		return ignoreRule{}, false
	}
	re, err := regexp.Compile("(?s)" + prefix + ignoreExpression(line) + "$")
	rule.pattern = re
	return rule, err == nil
}

// ignoreExpression translates the glob of an ignore line.
func ignoreExpression(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); {
		rest := glob[i:]
		switch {
		case strings.HasPrefix(rest, "**/") && (i == 0 || glob[i-1] == '/'):
			b.WriteString("(?:.*/)?")
			i += 3
		case rest == "**" && i > 0 && glob[i-1] == '/':
			b.WriteString(".+")
			i += 2
		case rest[0] == '*':
			b.WriteString("[^/]*")
			i++
		case rest[0] == '?':
			b.WriteString("[^/]")
			i++
		case rest[0] == '[' && classEnd(rest) > 0:
			b.WriteString(class(rest[1:classEnd(rest)]))
			i += classEnd(rest) + 1
		case rest[0] == '\\' && len(rest) > 1:
			b.WriteString(regexp.QuoteMeta(rest[1:2]))
			i += 2
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
			i++
		}
	}
	return b.String()
}

// classEnd is where the bracket expression at the start of s ends, or -1.
func classEnd(s string) int {
	for i := 2; i < len(s); i++ {
		if s[i] == ']' && !(i == 2 && (s[1] == '!' || s[1] == '^')) {
			return i
		}
	}
	return -1
}

func class(inner string) string {
	not := ""
	if inner[0] == '!' || inner[0] == '^' {
		not, inner = "^", inner[1:]
	}
	inner = strings.NewReplacer(`[`, `\[`, `]`, `\]`, `^`, `\^`, `&`, `\&`, `~`, `\~`).Replace(inner)
	return "[" + not + inner + "]"
}
