package tool

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"agentstudio/engine"
)

func places(g GrepData) (at []string) {
	for _, m := range g.Matches {
		at = append(at, fmt.Sprintf("%s:%d:%d", m.Path, m.Line, m.Column))
	}
	return at
}

func (d desk) greps(t *testing.T, args m, want ...string) (engine.Result, GrepData) {
	t.Helper()
	var g GrepData
	res := d.do(t, "grep", args, &g)
	if got := places(g); !slices.Equal(got, want) || g.MatchCount != len(want) {
		t.Errorf("%v: got %q (%d), want %q\n%s", args, got, g.MatchCount, want, res.Content)
	}
	return res, g
}

// Case f-bytes, grep.
func TestGrepBytes(t *testing.T) {
	d := newDesk(t, byteFiles())
	res, g := d.greps(t, m{"pattern": "caf.", "path": "latin1.txt"}, "latin1.txt:1:1")
	d.says(t, res.Content, "caf\ufffd one", "not valid UTF-8")
	res, g = d.greps(t, m{"pattern": "end$", "path": "crlf.txt"}, "crlf.txt:1:5", "crlf.txt:3:5")
	if strings.Contains(res.Content, "\r") || g.Matches[0].Text != "the end" {
		t.Errorf("%q", res.Content)
	}
	d.greps(t, m{"pattern": "^first", "path": "bom.txt"}, "bom.txt:1:1")
	d.greps(t, m{"pattern": "^.llo$", "path": "utf16.txt"})
	d.greps(t, m{"pattern": "llo$", "path": "utf16.txt"}, "utf16.txt:1:3")
	d.greps(t, m{"pattern": "^b$", "path": "cr-only.txt"}, "cr-only.txt:2:1")
	res, _ = d.greps(t, m{"pattern": "red", "path": "ctl.txt"}, "ctl.txt:1:6")
	d.says(t, res.Content, "␛[31mred␛[0m", "shown as marks")
	res, g = d.greps(t, m{"pattern": "text", "path": "nul.bin"})
	d.says(t, res.Content, "Could not search", "1 binary file skipped")
	if g.Skipped.Binary != 1 {
		t.Errorf("%+v", g)
	}
	res, _ = d.greps(t, m{"pattern": "nowhere to be found"})
	d.says(t, res.Content, `No line matches; 12 files searched in ".".`, "4 binary files skipped")
}

// Case f-pattern-traps.
func TestGrepPatterns(t *testing.T) {
	d := newDesk(t, map[string]string{"t.txt": strings.Repeat("a", 40) + "b\nnumber 123 here\nRoas up\n有中文的行\n\na.c\nabc\n-e --help\n"})
	start := time.Now()
	d.greps(t, m{"pattern": "(a+)+$"})
	if took := time.Since(start); took > time.Second {
		t.Errorf("took %v", took)
	}
	d.greps(t, m{"pattern": "-e"}, "t.txt:8:1")
	d.greps(t, m{"pattern": "--help"}, "t.txt:8:4")
	d.greps(t, m{"pattern": `\d{3}`}, "t.txt:2:8")
	d.greps(t, m{"pattern": "(?i)ROAS"}, "t.txt:3:1")
	d.greps(t, m{"pattern": "ROAS", "ignoreCase": true}, "t.txt:3:1")
	d.greps(t, m{"pattern": "中文"}, "t.txt:4:2")
	d.greps(t, m{"pattern": "^$"}, "t.txt:5:1")
	d.greps(t, m{"pattern": "a.c", "fixed": true}, "t.txt:6:1")
	d.greps(t, m{"pattern": "A.C", "fixed": true, "ignoreCase": true}, "t.txt:6:1")
	d.greps(t, m{"pattern": "a.c"}, "t.txt:6:1", "t.txt:7:1")
	d.greps(t, m{"pattern": "foo(", "fixed": true})
	for pattern, says := range map[string][]string{
		"foo(":                     {"at character 4", "fixed"},
		"中(a":                      {"at character 2"},
		`\((a`:                     {"at character 3"},
		"[(](":                     {"at character 4"},
		"a)":                       {"at character 2"},
		"[a":                       {"missing closing ]", "at character 1"},
		"a**":                      {"at character 2"},
		"x{1001}":                  {"repeat count", "at character 2"},
		`a\`:                       {"trailing backslash"},
		`(a)\1`:                    {"back-references are not supported", "at character 4"},
		"(?=x)":                    {"look-ahead", "not supported"},
		"(?<!x)":                   {"look-behind", "not supported"},
		"":                         {"empty"},
		"a\nb":                     {"line by line"},
		strings.Repeat("x", 1001):  {"longer than 1000 bytes"},
		"((a{100}){100}){100}":     {"cannot be used"},
		strings.Repeat("(", 1000):  {"cannot be used"},
		"\xff":                     nil,
		strings.Repeat("(?:a|", 9): {"cannot be used"},
	} {
		if pattern == "\xff" {
			continue // JSON has no such text
		}
		d.fails(t, "grep", m{"pattern": pattern}, engine.PatternInvalid, says...)
	}
}

// Case f-long-lines, grep.
func TestGrepLongLines(t *testing.T) {
	d := newDesk(t, longFiles())
	var g GrepData
	res := d.do(t, "grep", m{"pattern": "needle"}, &g)
	if len(res.Content)+len(res.Data) > 64<<10 || g.MatchCount != 100_001 || len(g.Matches) > 100 || res.LeftOut.Matches != g.MatchCount-len(g.Matches) {
		t.Errorf("%d + %d bytes, %d of %d, %+v", len(res.Content), len(res.Data), len(g.Matches), g.MatchCount, res.LeftOut)
	}
	d.says(t, res.Content, "100 of 100001 matches shown, 99901 left out")
	res, g = d.greps(t, m{"pattern": "needle", "path": "min.js"}, "min.js:1:599995")
	text := g.Matches[0].Text
	if utf8.RuneCountInString(text) > 500 || !strings.Contains(text, "中文中文needle中文中文") || !strings.HasPrefix(text, "…a") || !strings.HasSuffix(text, "b…") {
		t.Errorf("%d characters: %q", utf8.RuneCountInString(text), text)
	}
	d.says(t, res.Content, "a piece of a line of 1000004 characters")
	_, g = d.greps(t, m{"pattern": ".*", "path": "min.js"}, "min.js:1:1")
	if text := g.Matches[0].Text; utf8.RuneCountInString(text) > 500 || !strings.HasSuffix(text, "…") || strings.HasPrefix(text, "…") {
		t.Errorf("%q", text)
	}
}

func TestGrepAnswerIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("%s-%03d", strings.Repeat("<\x01", 60), i)] = strings.Repeat(`"<&`+"\x02中", 400)
	}
	d := newDesk(t, files)
	var g GrepData
	res := d.do(t, "grep", m{"pattern": "<", "context": 10}, &g)
	if size := jsonSize(res.Content) + len(res.Data); size > 64<<10 || g.MatchCount != 200 || len(g.Matches) == 0 {
		t.Errorf("%d bytes, %d of %d", size, len(g.Matches), g.MatchCount)
	}
}

func TestGrepContextAndGlob(t *testing.T) {
	d := newDesk(t, map[string]string{
		"a.md": "1\n2\nhit\n4\nhit\n6\n7\n8\n9\nhit\n", "sub/b.txt": "hit\n", "sub/c.md": "hit\n", ".git/x.md": "hit\n", "ign.md": "hit", ".gitignore": "ign.md",
	})
	res, _ := d.greps(t, m{"pattern": "hit", "path": "a.md", "context": 1}, "a.md:3:1", "a.md:5:1", "a.md:10:1")
	want := "3 lines match:\na.md-2- 2\na.md:3:1: hit\na.md-4- 4\na.md:5:1: hit\na.md-6- 6\n--\na.md-9- 9\na.md:10:1: hit"
	if res.Content != want {
		t.Errorf("got\n%s\nwant\n%s", res.Content, want)
	}
	d.greps(t, m{"pattern": "hit", "glob": "*.txt"}, "sub/b.txt:1:1")
	d.greps(t, m{"pattern": "hit", "glob": "sub/*"}, "sub/b.txt:1:1", "sub/c.md:1:1")
	d.greps(t, m{"pattern": "hit", "glob": "*.{md,txt}", "path": "sub"}, "sub/b.txt:1:1", "sub/c.md:1:1")
	d.greps(t, m{"pattern": "hit", "path": ".git"}, ".git/x.md:1:1")
	d.greps(t, m{"pattern": "hit", "glob": "ign*"}, "ign.md:1:1")
	res, _ = d.greps(t, m{"pattern": "hit", "glob": "*.pdf"})
	d.says(t, res.Content, "Could not search", "*.pdf")
	d.fails(t, "grep", m{"pattern": "hit", "glob": "[a"}, engine.PatternInvalid, "glob:")
}

func TestGrepSkipsProtected(t *testing.T) {
	d := newDesk(t, map[string]string{".env": "needle", "ok": "needle", ".ssh/config": "needle"})
	res, g := d.greps(t, m{"pattern": "needle"}, "ok:1:1")
	d.says(t, res.Content, "2 protected entries not read")
	if g.Skipped.Protected != 2 {
		t.Errorf("%+v", g.Skipped)
	}
	d.fails(t, "grep", m{"pattern": "needle", "path": ".env"}, engine.ProtectedPath)
}

// What is found in one long line is what regexp finds in a short one.
func TestFirstMatchOfLongLines(t *testing.T) {
	re := regexp.MustCompile(`b+c|\bd$`)
	line := strings.Repeat("é", longLine) + "bbbc d"
	if got, want := firstMatch(context.Background(), re, line), re.FindStringIndex(line); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := firstMatch(ctx, re, line); got != nil {
		t.Errorf("a stopped search found %v", got)
	}
}

func TestPieceIsShortAndHoldsTheMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.StringN(0, 900, -1).Draw(t, "before")
		match := rapid.StringN(1, 600, -1).Draw(t, "match")
		text := before + match + rapid.StringN(0, 900, -1).Draw(t, "after")
		got := piece(text, len(before), len(before)+len(match))
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxWindow {
			t.Fatalf("%d characters", utf8.RuneCountInString(got))
		}
		if utf8.RuneCountInString(match) <= 400 && !strings.Contains(got, mark(match)) {
			t.Fatalf("the match is not in %q", got)
		}
	})
}
