package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"agentstudio/engine/safe"
)

// TestProseLosesNothing feeds lines far over the sanitiser's limit.
func TestProseLosesNothing(t *testing.T) {
	for name, unit := range map[string]string{
		"ascii": "0123456789", "chinese": "账户总结", "marks": "e\u0301\u0302", "emoji": "👩\u200d🚀👍🏽", "keycaps": "1\ufe0f\u20e3", "hostile": "a\x1b[31m\u202e\xff",
	} {
		long := strings.Repeat(unit, 300<<10/len(unit)) + "end\nand on"
		for _, size := range []int{1, 7, 4000, len(long)} {
			var p prose
			var out strings.Builder
			for rest := long; rest != ""; {
				n := min(size, len(rest))
				for n < len(rest) && !utf8.RuneStart(rest[n]) {
					n++ // a delta never cuts a character
				}
				out.WriteString(string(p.append(rest[:n])))
				rest = rest[n:]
			}
			out.WriteString(string(p.close()))
			want := strings.Repeat(string(safe.Text(unit, safe.Prose)), 300<<10/len(unit)) + "end\nand on"
			if out.String() != want {
				t.Errorf("%s in pieces of %d: %d bytes, want %d", name, size, out.Len(), len(want))
			}
		}
	}
}

// TestProseIsText compares short lines, in any pieces, with the whole cleaned at once.
func TestProseIsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p prose
		var whole strings.Builder
		var out safe.Safe
		for _, piece := range rapid.SliceOf(rapid.StringN(0, 40, -1)).Draw(t, "pieces") {
			whole.WriteString(piece)
			out += p.append(piece)
		}
		if out += p.close(); out != safe.Text(whole.String(), safe.Prose) {
			t.Fatalf("%q, want %q", out, safe.Text(whole.String(), safe.Prose))
		}
	})
}
