package workspace

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape gives the one spelling in which a name is shown and may be given back. It is valid UTF-8
// on one line: newline, return and tab become \n, \r and \t; other control characters and bytes
// that are not UTF-8 \x1b; invisible and direction-changing characters \u202e or \U000e0001; a
// backslash \\. Other characters, blanks among them, stay. Slashes stay, so a whole path may be
// given. On Windows, where a backslash separates, backslashes stay and nothing can be given back.
func Escape(name string) string {
	if !strings.ContainsFunc(name, strange) && utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, name[i])
		case strange(r):
			b.WriteString(escapeRune(r))
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

func escapeRune(r rune) string {
	switch {
	case r == '\\':
		return `\\`
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < utf8.RuneSelf:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// strange tells the characters that Escape spells out.
func strange(r rune) bool {
	if r == '\\' {
		return runtime.GOOS != "windows"
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Unescape is the inverse of Escape: it undoes exactly the escapes that Escape writes, and leaves
// every other backslash as it is. What it makes is never a separator, a dot or a NUL, so a path
// keeps its elements. On Windows it does nothing.
func Unescape(name string) string {
	if runtime.GOOS == "windows" || !strings.Contains(name, `\`) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		if name[i] == '\\' {
			if text, size := unescapeOne(name[i:]); size > 0 {
				b.WriteString(text)
				i += size
				continue
			}
		}
		b.WriteByte(name[i])
		i++
	}
	return b.String()
}

// unescapeOne reads one escape at the start of s; size 0 means that there is none.
func unescapeOne(s string) (text string, size int) {
	if len(s) < 2 {
		return "", 0
	}
	switch s[1] {
	case '\\':
		return `\`, 2
	case 'n':
		return "\n", 2
	case 'r':
		return "\r", 2
	case 't':
		return "\t", 2
	case 'x':
		return unescapeHex(s, 4)
	case 'u':
		return unescapeHex(s, 6)
	case 'U':
		return unescapeHex(s, 10)
	}
	return "", 0
}

func unescapeHex(s string, size int) (string, int) {
	if len(s) < size {
		return "", 0
	}
	n, err := strconv.ParseUint(s[2:size], 16, 32)
	r := rune(n)
	switch {
	case err != nil || n > unicode.MaxRune || r == 0:
		return "", 0
	case size == 4 && n >= utf8.RuneSelf:
		return string([]byte{byte(n)}), size
	case strange(r) && r != '\\':
		return string(r), size
	}
	return "", 0
}

// Display is how people are shown a path on disk that is not below a root: ~/x below the home
// folder, else only its last element, so that the machine's layout stays its own. Strange names
// are escaped.
func Display(home, path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = filepath.Clean(path)
	}
	for _, base := range spellings(home) {
		if rest, ok := below(base, abs); ok && filepath.Dir(base) != base {
			return strings.TrimSuffix("~/"+Escape(rest), "/.")
		}
	}
	return "…/" + Escape(filepath.Base(abs))
}

// below gives the slash-separated rest of path under base ("." for base itself).
func below(base, path string) (string, bool) {
	if samePath(base, path) {
		return ".", true
	}
	prefix := strings.TrimSuffix(base, string(filepath.Separator)) + string(filepath.Separator)
	if len(path) <= len(prefix) || !samePath(prefix, path[:len(prefix)]) {
		return "", false
	}
	return filepath.ToSlash(path[len(prefix):]), true
}

// samePath compares as the system does. A Mac's disk may fold case too; there the stricter
// comparison only refuses an absolute path in another case.
func samePath(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}
