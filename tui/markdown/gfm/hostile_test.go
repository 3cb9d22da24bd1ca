package gfm_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// hostile makes texts of about n bytes that are dear to who looks twice.
var hostile = map[string]func(n int) string{
	"table of short rows": func(n int) string {
		return "a\n" + strings.Repeat("-|", n/4) + "\n" + strings.Repeat("a\n", n/4)
	},
	"table of wide rows": func(n int) string {
		return strings.Repeat("a|b\n"+strings.Repeat("-|", 500)+"\n", n/1004)
	},
	"wide heads":                     func(n int) string { return strings.Repeat("a|b\n-\t|:\n", n/9) },
	"narrow delimiter rows":          func(n int) string { return "a|b\n" + strings.Repeat("|-\n", n/3) },
	"table of escaped pipes in code": func(n int) string { return "|a|\n|-|\n|" + strings.Repeat("`\\|`", n/4) },
	"table of escaped pipes in one code": func(n int) string {
		return "|a|\n|-|\n|`" + strings.Repeat("\\|", n/2) + "`"
	},
	"pipes":        func(n int) string { return strings.Repeat("|", n) },
	"tildes":       func(n int) string { return "a" + strings.Repeat("~", n) },
	"tilde trios":  func(n int) string { return "a" + strings.Repeat("~~~ a ", n/6) },
	"www":          func(n int) string { return strings.Repeat("www.", n/4) },
	"www again":    func(n int) string { return strings.Repeat(" www.", n/5) },
	"www capital":  func(n int) string { return strings.Repeat("_www.A", n/6) },
	"http":         func(n int) string { return strings.Repeat("~http://a~~~", n/12) },
	"dots":         func(n int) string { return "www.a.b/" + strings.Repeat(".", n) },
	"parentheses":  func(n int) string { return "www.a.b/" + strings.Repeat("(", n/2) + strings.Repeat(")", n/2) },
	"closing":      func(n int) string { return strings.Repeat("(www.a.b/", n/18) + strings.Repeat(")", n/2) },
	"references":   func(n int) string { return "www.a.b/" + strings.Repeat("&a;", n/3) },
	"semicolons":   func(n int) string { return "www.a.b/" + strings.Repeat("a", n/2) + strings.Repeat(";", n/2) },
	"at":           func(n int) string { return strings.Repeat("a@", n/2) },
	"mail":         func(n int) string { return strings.Repeat(" a@b.c-_", n/8) },
	"colons":       func(n int) string { return strings.Repeat(" http:", n/6) },
	"task markers": func(n int) string { return "- " + strings.Repeat("[ ]", n/3) },
}

// No text makes more nodes than it has bytes, whatever their order.
func TestNodesAreBounded(t *testing.T) {
	const size = 20_000
	for name, of := range hostile {
		src, nodes := []byte(of(size)), 0
		root := ours().Parse(text.NewReader(src))
		if _, ok := root.FirstChild().(*east.Table); ok != strings.HasPrefix(name, "table") {
			t.Errorf("%s: it begins with a %s", name, root.FirstChild().Kind())
		}
		err := ast.Walk(root, func(_ ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				nodes++
			}
			return ast.WalkContinue, nil
		})
		if err != nil || nodes < 3 || nodes > len(src) {
			t.Errorf("%s: %d nodes of %d bytes, %v", name, nodes, len(src), err)
		}
	}
}

// A run of tildes is measured once, not from each of its tildes: every measure is an allocation.
func TestRunIsMeasuredOnce(t *testing.T) {
	p := ours()
	cost := func(n int) float64 {
		src := bytes.Repeat([]byte{'~'}, n)
		return testing.AllocsPerRun(3, func() { p.Parse(text.NewReader(append([]byte{'a'}, src...))) })
	}
	if short, long := cost(10), cost(10_000); long > short+100 {
		t.Errorf("%v allocations for 10 tildes, %v for 10,000", short, long)
	}
}

// The time for a byte doesn't grow with the text.
func BenchmarkHostile(b *testing.B) {
	for name, of := range hostile {
		for _, size := range []struct {
			name  string
			bytes int
		}{{"10kB", 10_000}, {"100kB", 100_000}} {
			src := []byte(of(size.bytes))
			p := ours()
			b.Run(name+"/"+size.name, func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					p.Parse(text.NewReader(src))
				}
			})
		}
	}
}
