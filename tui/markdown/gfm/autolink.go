package gfm

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Autolinks reads web and mail addresses that stand in the text without angle brackets, by
// section 6.9 of the specification.
func Autolinks() parser.Option {
	return parser.WithInlineParsers(util.Prioritized(autolink{}, 999)) // behind all others
}

const (
	// ahead may stand before an address. To the parser a blank means every white space, and the
	// place behind another inline too.
	ahead = " *_~("
	// maxHost is how far an address's domain reaches before its last dot: what is no address
	// after all has not been looked through further.
	maxHost = 256

	hostMarks = "-@:%._+~#="
	pathMarks = hostMarks + "!?&/();,'\">^{}[]`"
	urlMarks  = pathMarks + "$"
)

type autolink struct{}

// Trigger implements parser.InlineParser.
func (autolink) Trigger() []byte { return []byte(ahead) }

// Parse implements parser.InlineParser.
func (autolink) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if pc.IsInLinkLabel() {
		return nil
	}
	line, segment := block.PeekLine()
	start := segment.Start
	if strings.IndexByte(ahead, line[0]) >= 0 {
		line = line[1:]
		start++
	}
	kind, protocol, n := ast.AutoLinkURL, "", urlLength(line)
	if n == 0 {
		if n = wwwLength(line); n > 0 {
			protocol = "http"
		}
	}
	if n == 0 {
		kind, n = ast.AutoLinkEmail, mailLength(line)
	}
	if n == 0 {
		return nil
	}
	if start > segment.Start {
		ast.MergeOrAppendTextSegment(parent, segment.WithStop(start))
	}
	block.Advance(start - segment.Start + n)
	link := ast.NewAutoLink(kind, ast.NewTextSegment(text.NewSegment(start, start+n)))
	if protocol != "" {
		link.Protocol = []byte(protocol)
	}
	return link
}

// urlLength returns how long the address with a scheme is that line begins with, 0 if there is
// none.
func urlLength(line []byte) int {
	for _, scheme := range []string{"http://", "https://", "ftp://"} {
		if !bytes.HasPrefix(line, []byte(scheme)) {
			continue
		}
		n := domainEnd(line, len(scheme))
		if n == 0 {
			return 0
		}
		return trimmed(line, pathEnd(line, portEnd(line, n), urlMarks))
	}
	return 0
}

// wwwLength does the same for an address without a scheme.
func wwwLength(line []byte) int {
	const www = "www."
	if !bytes.HasPrefix(line, []byte(www)) {
		return 0
	}
	n := domainEnd(line, len(www))
	if n == 0 {
		return 0
	}
	return trimmed(line, pathEnd(line, n, pathMarks))
}

// mailLength does the same for a mail address: one of CommonMark's with a dot in its domain, and
// no hyphen or underscore behind it.
func mailLength(line []byte) int {
	if len(line) == 0 || util.IsPunct(line[0]) {
		return 0
	}
	n := util.FindEmailIndex(line)
	if n < 0 || n < len(line) && (line[n] == '-' || line[n] == '_') {
		return 0
	}
	if domain := line[bytes.IndexByte(line, '@'):n]; bytes.IndexByte(domain, '.') < 0 {
		return 0
	}
	return n
}

// domainEnd returns where the domain at from ends: behind the small letters that follow the last
// dot that has some. It returns 0 if there is no such dot behind the first sign.
func domainEnd(line []byte, from int) int {
	end := 0
	for i := from; i <= from+maxHost && i+1 < len(line) && among(line[i], hostMarks); i++ {
		if line[i] == '.' && i > from && isLower(line[i+1]) {
			end = i + 1
		}
	}
	for end > 0 && end < len(line) && isLower(line[end]) {
		end++
	}
	return end
}

func portEnd(line []byte, at int) int {
	end := at + 1
	for end < len(line) && isDigit(line[end]) {
		end++
	}
	if end == at+1 || line[at] != ':' {
		return at
	}
	return end
}

func pathEnd(line []byte, at int, marks string) int {
	if at == len(line) || strings.IndexByte("/#?", line[at]) < 0 {
		return at
	}
	for at < len(line) && among(line[at], marks) {
		at++
	}
	return at
}

// trimmed returns the end of the address line[:n] without what belongs to the sentence around it:
// punctuation (but for stars, which never are in an address), closing parentheses that were not
// opened, and character references.
func trimmed(line []byte, n int) int {
	open := bytes.Count(line[:n], []byte{')'}) - bytes.Count(line[:n], []byte{'('})
	for {
		switch c := line[n-1]; {
		case strings.IndexByte("?!.,:_~", c) >= 0:
			n--
		case c == ')' && open > 0:
			open--
			n--
		case c == ';':
			at := n - 1
			for among(line[at-1], "") {
				at--
			}
			if at == n-1 || line[at-1] != '&' {
				return n
			}
			n = at - 1
		default:
			return n
		}
	}
}

// among reports whether c is a letter, a digit or one of marks.
func among(c byte, marks string) bool {
	return isLower(c) || isLower(c|0x20) || isDigit(c) || strings.IndexByte(marks, c) >= 0
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
