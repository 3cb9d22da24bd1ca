package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentstudio/engine"
)

// byteFiles are the files of case f-bytes.
func byteFiles() map[string]string {
	return map[string]string{
		"latin1.txt": "caf\xe9 one\nplain\n", "crlf.txt": "the end\r\nmiddle\r\nthe end\r\n", "cr-only.txt": "a\rb\rc",
		"no-newline.txt": "one\ntwo", "nul.bin": "text\x00\x01\x02more\n", "utf16.txt": "\xff\xfeh\x00\xe9\x00l\x00l\x00o\x00\n\x00",
		"utf16be.txt": "\xfe\xff\x00h\x00\xe9\x00\n", "bom.txt": "\xef\xbb\xbffirst\nsecond\n", "empty.txt": "",
		"ctl.txt": "\x1b[31mred\x1b[0m \a \r over\n", "mixed.txt": "a\r\nb\n", "c1.txt": "x\u009b2Jy\x7f\n",
		"odd16.txt": "\xff\xfeh\x00e", "nul16.txt": "\xff\xfeh\x00\x00\x00",
		"utf32.txt": "\xff\xfe\x00\x00h\x00\x00\x00", "gz.bin": "\x1f\x8b\x08\x04\x05\x06\x07\x01\x02\x03\xfe\xfd",
	}
}

// Case f-bytes, read.
func TestReadBytes(t *testing.T) {
	d := newDesk(t, byteFiles())
	for _, c := range []struct {
		path, text   string
		lines        int
		ending, note string
	}{
		{"latin1.txt", "caf\ufffd one\nplain\n", 2, "LF", "not valid UTF-8"},
		{"crlf.txt", "the end\nmiddle\nthe end\n", 3, "CRLF", "CRLF"},
		{"cr-only.txt", "a\nb\nc\n", 3, "CR", "CR line ends"},
		{"no-newline.txt", "one\ntwo", 2, "LF", ""},
		{"utf16.txt", "héllo", 1, "LF", "UTF-16"},
		{"utf16be.txt", "hé", 1, "LF", "UTF-16"},
		{"odd16.txt", "h\ufffd", 1, "none", "UTF-16"},
		{"bom.txt", "first\nsecond", 2, "LF", ""},
		{"ctl.txt", "␛[31mred␛[0m ␇ ␍ over", 1, "LF", "shown as marks"},
		{"c1.txt", "x␦2Jy␡", 1, "LF", "shown as marks"},
		{"mixed.txt", "a\nb", 2, "mixed", "mixed"},
	} {
		var r ReadData
		res := d.do(t, "read", m{"path": c.path}, &r)
		if !strings.HasPrefix(res.Content, c.text) || r.TotalLines != c.lines || r.LineEnding != c.ending || res.LeftOut != nil {
			t.Errorf("%s: %q, %+v", c.path, res.Content, r)
		}
		if r.Path != c.path || r.StartLine != 1 || r.EndLine != c.lines || r.Bytes != len(byteFiles()[c.path]) {
			t.Errorf("%s: %+v", c.path, r)
		}
		if !strings.Contains(r.Note, c.note) || !strings.Contains(res.Content, c.note) || (c.note == "" && r.Note != "") {
			t.Errorf("%s: note %q in %q", c.path, r.Note, res.Content)
		}
	}
	var r ReadData
	res := d.do(t, "read", m{"path": "empty.txt"}, &r)
	d.says(t, res.Content, "empty.txt is empty")
	if r != (ReadData{Path: "empty.txt", LineEnding: "none"}) {
		t.Errorf("%+v", r)
	}
	d.fails(t, "read", m{"path": "nul.bin"}, engine.BinaryFile, "binary file, 12 bytes")
	for _, path := range []string{"nul16.txt", "utf32.txt", "gz.bin"} {
		d.fails(t, "read", m{"path": path}, engine.BinaryFile)
	}
}

func TestReadRefusesImages(t *testing.T) {
	d := newDesk(t, map[string]string{
		"a.txt": "\x89PNG\r\n\x1a\nxx", "b": "\xff\xd8\xff\xe0", "c": "GIF89a....", "d": "RIFF1234WEBPVP8 ", "e": "II*\x00", "f": "0000ftypheic",
		"g": "BM1234\x00\x00\x00\x00", "h.png": "only text\n", "bm.txt": "BM is a company\n",
	})
	for path, kind := range map[string]string{"a.txt": "PNG", "b": "JPEG", "c": "GIF", "d": "WebP", "e": "TIFF", "f": "HEIF", "g": "BMP"} {
		d.fails(t, "read", m{"path": path}, engine.BinaryFile, kind+" image", "attach")
	}
	var r ReadData
	d.do(t, "read", m{"path": "h.png"}, &r)
	d.do(t, "read", m{"path": "bm.txt"}, &r)
}

// longFiles are the files of case f-long-lines.
func longFiles() map[string]string {
	var many strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, "line %06d needle\n", i+1)
	}
	return map[string]string{
		"min.js":   strings.Repeat("a", 599_990) + "中文中文" + "needle" + "中文中文" + strings.Repeat("b", 400_000),
		"many.txt": many.String(),
	}
}

// Case f-long-lines, read.
func TestReadLong(t *testing.T) {
	d := newDesk(t, longFiles())
	var r ReadData
	res := d.do(t, "read", m{"path": "min.js"}, &r)
	d.says(t, res.Content, "line 1 is longer than one answer", "1000020 bytes", "grep")
	if r.TotalLines != 1 || r.EndLine != 1 || r.Bytes != 1_000_020 || res.LeftOut.Bytes != 1_000_020-maxText || strings.Contains(res.Content, "offset") {
		t.Errorf("%+v, %+v", r, res.LeftOut)
	}
	res = d.do(t, "read", m{"path": "many.txt", "offset": 99_990, "limit": 20}, &r)
	if r.StartLine != 99_990 || r.EndLine != 100_000 || res.LeftOut != nil || !strings.HasPrefix(res.Content, "line 099990 needle\n") || !strings.HasSuffix(res.Content, "line 100000 needle") {
		t.Errorf("%+v, %q", r, res.Content)
	}
	// Reading on as told gives every line once.
	next, seen := 1, 0
	for next > 0 && next < 6000 {
		res = d.do(t, "read", m{"path": "many.txt", "offset": next}, &r)
		if r.StartLine != next || strings.Count(res.Content, " needle\n") != r.EndLine-r.StartLine+1 {
			t.Fatalf("from %d: %+v", next, r)
		}
		d.says(t, res.Content, fmt.Sprintf("read on with offset %d", r.EndLine+1), fmt.Sprintf("%d lines", 100_000-r.EndLine))
		if left := res.LeftOut; left.Lines != 100_000-r.EndLine || left.Bytes != left.Lines*19 {
			t.Errorf("%+v", left)
		}
		seen += r.EndLine - r.StartLine + 1
		next = r.EndLine + 1
	}
	if seen != next-1 {
		t.Errorf("%d lines, next is %d", seen, next)
	}
	res = d.do(t, "read", m{"path": "many.txt", "limit": 3}, &r)
	if r.EndLine != 3 || res.LeftOut.Lines != 99_997 {
		t.Errorf("%+v, %+v", r, res.LeftOut)
	}
}

func TestReadCutsAtCharacters(t *testing.T) {
	d := newDesk(t, map[string]string{
		"wide": "x" + strings.Repeat("中", 20_000) + "\nlast\n", "marks": strings.Repeat("\x1b", 20_000),
		"second": "first\n" + strings.Repeat("y", 40_000) + "\nthird\n", "zeros": strings.Repeat("\n", 5000),
	})
	var r ReadData
	res := d.do(t, "read", m{"path": "wide"}, &r)
	if strings.Contains(res.Content, "\ufffd") || r.EndLine != 1 || res.LeftOut.Lines != 1 {
		t.Errorf("%+v, %+v", r, res.LeftOut)
	}
	d.says(t, res.Content, "read on with offset 2")
	d.do(t, "read", m{"path": "marks"}, &r)
	res = d.do(t, "read", m{"path": "second"}, &r)
	if r.EndLine != 1 || res.LeftOut.Lines != 2 {
		t.Errorf("a long second line: %+v, %+v", r, res.LeftOut)
	}
	res = d.do(t, "read", m{"path": "second", "offset": 2}, &r)
	if r.StartLine != 2 || r.EndLine != 2 || res.LeftOut.Lines != 1 {
		t.Errorf("the long line itself: %+v, %+v", r, res.LeftOut)
	}
	res = d.do(t, "read", m{"path": "zeros"}, &r)
	if r.EndLine != 2000 || res.LeftOut.Lines != 3000 {
		t.Errorf("%+v, %+v", r, res.LeftOut)
	}
}

func TestReadTooLarge(t *testing.T) {
	d := newDesk(t, map[string]string{"big": strings.Repeat("0123456789abcde\n", maxFile/16) + "x"})
	d.fails(t, "read", m{"path": "big"}, engine.FileTooLarge, "big has")
	var g GrepData
	res := d.do(t, "grep", m{"pattern": "x", "path": "big"}, &g)
	d.says(t, res.Content, "Could not search", "1 file over 32 MiB skipped")
	if g.Skipped.Large != 1 || g.MatchCount != 0 {
		t.Errorf("%+v", g)
	}
}

func TestCancelledCalls(t *testing.T) {
	d := newDesk(t, longFiles())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for tool, args := range map[string]string{
		"read": `{"path":"many.txt"}`, "grep": `{"pattern":"needle"}`, "find": `{"pattern":"*"}`, "ls": `{}`,
	} {
		_, err := d.call(ctx, tool, args)
		if engine.CodeOf(err) != engine.RunCancelled || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", tool, err)
		}
	}
}
