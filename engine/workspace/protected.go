package workspace

import (
	"regexp"
	"runtime"
	"strings"
	"unicode"
)

// protected tells whether a path below a root has a protected name, at any depth: .env*, *.pem,
// *.key, id_*, .ssh, .aws, .git/config, .netrc, auth.json. Case does not matter, on any system,
// since a disk may fold it.
func protected(rel string) bool {
	before := ""
	for element := range strings.SplitSeq(rel, "/") {
		name := fold(element)
		if protectedElement(name) || (before == ".git" && name == "config") {
			return true
		}
		if runtime.GOOS == "windows" && shortName(name) {
			return true // an 8.3 alias hides which name it stands for
		}
		before = name
	}
	return false
}

// Protected tells whether an element of a path has a protected name, for a file that a person names
// outside of any root. The path has slashes.
func Protected(path string) bool { return protected(path) }

func protectedElement(name string) bool {
	switch name {
	case ".ssh", ".aws", ".netrc", "auth.json":
		return true
	}
	return strings.HasPrefix(name, ".env") || strings.HasPrefix(name, "id_") ||
		strings.HasSuffix(name, ".pem") || strings.HasSuffix(name, ".key")
}

// fold brings a name to the form in which file systems that fold names would compare it: simple
// case folding, the foldings of ß and ﬁ to two letters, without invisible characters (HFS+) and
// without dots and blanks at the end (Windows).
func fold(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == 'ß' || r == 'ẞ':
			b.WriteString("ss")
		case r == 'ﬁ':
			b.WriteString("fi")
		case unicode.Is(unicode.Cf, r):
		default:
			b.WriteRune(foldRune(r))
		}
	}
	return strings.TrimRight(b.String(), " .")
}

// foldRune gives one rune for all that differ only by case, such as k, K and the Kelvin sign.
func foldRune(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return unicode.ToLower(least)
}

func shortName(name string) bool {
	return regexp.MustCompile(`^[^.]{1,7}~[0-9]+(\.|$)`).MatchString(name)
}

// inState tells whether an absolute path lies in the state directory by its spelling.
func (w *Workspace) inState(abs string) bool {
	for _, base := range w.state {
		if _, ok := below(base, abs); ok {
			return true
		}
	}
	return false
}
