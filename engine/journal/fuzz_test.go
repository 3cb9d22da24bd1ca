package journal

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"
	"time"

	"agentstudio/engine"
)

// FuzzScan holds the reader to its word on any bytes: no panic, numbers that only rise, places in
// order and inside the file, and lines of its own for everything it gives.
func FuzzScan(f *testing.F) {
	line := func(seq engine.Seq, prev uint32, text string) []byte {
		e := engine.Event{ID: "evt_1", Session: "ses_1", Seq: seq, At: time.Unix(0, 0), Payload: engine.Notice{Code: "X", Message: text}}
		b, _, err := appendLine(nil, e, prev)
		if err != nil {
			f.Fatal(err)
		}
		return b
	}
	one := line(1, 0, "a")
	_, crc, _ := readTail(one[len(one)-1-tailBytes : len(one)-1])
	two := line(2, crc, `{"eventId":"x","prev":"00000000","crc":"00000000"}`)
	far := line(1<<62, crc, "far")
	for _, seed := range [][]byte{nil, one, append(bytes.Clone(one), two...), append(bytes.Clone(one), far...), append(bytes.TrimSuffix(bytes.Clone(one), []byte("\n")), two...),
		append(bytes.Repeat([]byte{0}, 50), one...), bytes.Repeat([]byte("\n"), 300), bytes.Repeat([]byte(prevField+`00000000","crc":"00000000"}`), 9), one[:len(one)-9], append(bytes.Clone(one), one...)} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, decode bool) {
		sc := newScanner(bytes.NewReader(data), mark{seq: 1}, "")
		sc.decode = decode
		last, end := engine.Seq(0), int64(0)
		for {
			found, err := sc.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if found.seq <= last || found.offset < end || found.end > int64(len(data)) || !bytes.HasPrefix(data[found.offset:], found.rec.bytes) {
				t.Fatalf("record %d at %d–%d after %d at %d", found.seq, found.offset, found.end, last, end)
			}
			if found.gap != 0 && (found.gap != last+1 || found.gap >= found.seq) {
				t.Fatalf("the hole begins at %d between %d and %d", found.gap, last, found.seq)
			}
			if _, err := check(found.rec.bytes); err != nil {
				t.Fatal(err)
			}
			last, end = found.seq, found.end
		}
		if sc.at.offset > int64(len(data)) || sc.offset != int64(len(data)) {
			t.Fatalf("%d bytes were read of %d, %d are good", sc.offset, len(data), sc.at.offset)
		}
	})
}

// endless gives n times the same byte.
type endless struct {
	n int64
	b byte
}

func (r *endless) Read(p []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), r.n))
	for i := range p[:n] {
		p[i] = r.b
	}
	r.n -= int64(n)
	return n, nil
}

// TestHugeInput reads a gigabyte that is no journal: one line, lines of nothing, and a line just
// under the limit. What is allocated in all must stay below twice the limit.
func TestHugeInput(t *testing.T) {
	size := int64(hugeInput)
	if testing.Short() {
		size /= 16
	}
	good := short(t)
	for name, in := range map[string]io.Reader{
		"one line":           &endless{size, 'x'},
		"one line, then one": io.MultiReader(&endless{size, 'x'}, bytes.NewReader([]byte("\n")), bytes.NewReader(good.data)),
		"empty lines":        &endless{size / 16, '\n'},
		"at the limit":       io.MultiReader(&endless{maxLine - 1, 'x'}, bytes.NewReader([]byte("\n"))),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		sc := newScanner(in, mark{seq: 1}, "")
		records := 0
		var err error
		for err == nil {
			if _, err = sc.next(); err == nil {
				records++
			}
		}
		runtime.ReadMemStats(&after)
		if !errors.Is(err, io.EOF) || len(sc.bad)+len(sc.damaged)+len(sc.notes) == 0 {
			t.Errorf("%s: %v, nothing told", name, err)
		}
		if name == "one line, then one" && records != len(good.events) {
			t.Errorf("%s: %d records behind it", name, records)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 2*maxLine {
			t.Errorf("%s: %d bytes were allocated, the limit of a line is %d", name, got, maxLine)
		}
	}
}

// TestCrowdedLine reads a line with very many places where a record could begin or end.
func TestCrowdedLine(t *testing.T) {
	for _, unit := range []string{beginning, prevField + `00000000","crc":"00000000"}`, beginning + prevField + `00000000","crc":"00000000"}`} {
		line := bytes.Repeat([]byte(unit), maxLine/len(unit))
		if _, _, ok := locate(line); ok {
			t.Error("a record was found where there is none")
		}
	}
}
