package provider

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"agentstudio/engine"
)

// read gives every event of a stream as "name|data", a tail marked, and the error it ended with.
func read(r io.Reader) (out []string, err error) {
	d := newDecoder(r)
	for {
		e, err := d.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return out, err
		}
		s := string(e.name) + "|" + string(e.data)
		if e.tail {
			s += "|tail"
		}
		out = append(out, s)
	}
}

func TestEventsAreReadByTheStandard(t *testing.T) {
	for in, want := range map[string][]string{
		"":                                     nil,
		"\n\n\r\n":                             nil,
		"data: a\n\ndata: b\n\n":               {"|a", "|b"},
		"data:a\n\n":                           {"|a"},
		"data:  a \n\n":                        {"| a "},
		"data: a\r\n\r\ndata: b\r\n\r\n":       {"|a", "|b"},
		"data: a\r\rdata: b\r\r":               {"|a", "|b"},
		"data: a\r\n\rdata: b\n\r\n":           {"|a", "|b"},
		"\xef\xbb\xbfdata: a\n\n":              {"|a"},
		"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n":  nil,
		"\xef\xbbdata: a\n\n":                  nil,
		": ping\n\ndata: a\n: in between\n\n":  {"|a"},
		"data: a\ndata: b\ndata\ndata:\n\n":    {"|a\nb\n\n"},
		"data\n\n":                             {"|"},
		"event: x\n\ndata: a\n\n":              {"|a"},
		"event: x\nevent: y\ndata: a\n\n":      {"y|a"},
		"id: 1\nretry: 5\nfoo: b\ndata: a\n\n": {"|a"},
		" data: a\nData: b\n\n":                nil,
		"data: a":                              {"|a|tail"},
		"data: a\n":                            {"|a|tail"},
		"data: a\r":                            {"|a|tail"},
		"data: a\n\n: end":                     {"|a"},
		"event: x":                             nil,
		"data: a:b: c\n\n":                     {"|a:b: c"},
		"data: 世界 \xff\xfe\n\n":                {"|世界 \xff\xfe"},
		"data: \xef\xbb\xbf\n\n":               {"|\xef\xbb\xbf"},
	} {
		whole, err := read(strings.NewReader(in))
		if err != nil || fmt.Sprint(whole) != fmt.Sprint(want) {
			t.Errorf("%q gives %q, %v, want %q", in, whole, err, want)
		}
		bytewise, err := read(iotest.OneByteReader(strings.NewReader(in)))
		if err != nil || fmt.Sprint(bytewise) != fmt.Sprint(want) {
			t.Errorf("%q by the byte gives %q, %v, want %q", in, bytewise, err, want)
		}
		late, err := read(iotest.DataErrReader(strings.NewReader(in)))
		if err != nil || fmt.Sprint(late) != fmt.Sprint(want) {
			t.Errorf("%q with its end at once gives %q, %v, want %q", in, late, err, want)
		}
	}
}

func TestALoneCRDoesNotWaitForWhatFollows(t *testing.T) {
	r, w := io.Pipe()
	got := make(chan string)
	go func() {
		d := newDecoder(r)
		for {
			e, err := d.next()
			if err != nil {
				close(got)
				return
			}
			got <- string(e.data)
		}
	}()
	_, _ = io.WriteString(w, "data: a\r\r")
	if a := <-got; a != "a" {
		t.Errorf("got %q", a)
	}
	_, _ = io.WriteString(w, "\ndata: b\r\n\r")
	if b := <-got; b != "b" {
		t.Errorf("got %q", b)
	}
	_ = w.Close()
	<-got
}

func TestEventsHaveALimit(t *testing.T) {
	fits := "data: " + strings.Repeat("x", maxEvent-100)
	if got, err := read(strings.NewReader(fits + "\n\n")); err != nil || len(got) != 1 {
		t.Errorf("%d events, %v", len(got), err)
	}
	for name, in := range map[string]string{
		"one line":    fits + strings.Repeat("y", 200),
		"ended":       fits + strings.Repeat("y", 200) + "\n\n",
		"many lines":  strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", 9),
		"one comment": ":" + strings.Repeat("x", maxEvent+200),
	} {
		d := newDecoder(strings.NewReader("data: first\n\n" + in))
		if e, err := d.next(); err != nil || string(e.data) != "first" {
			t.Fatalf("%s: %q %v", name, e.data, err)
		}
		for range 2 {
			_, err := d.next()
			wantCode(t, err, engine.ModelProtocol)
		}
	}
	small := strings.Repeat(": a comment, of which there may be any number\n", maxEvent/40)
	if got, err := read(strings.NewReader(small + "data: a\n\n")); err != nil || len(got) != 1 {
		t.Errorf("%d events, %v", len(got), err)
	}
}

func TestAFailingReaderLosesWhatWasBegun(t *testing.T) {
	in := io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(errBroken))
	got, err := read(in)
	if len(got) != 1 || !errors.Is(err, errBroken) {
		t.Errorf("%q %v", got, err)
	}
	if _, err := read(idle{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that gives nothing: %v", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func FuzzSSE(f *testing.F) {
	f.Add([]byte("\xef\xbb\xbf: c\r\n\r\nevent: x\rdata: a\n\ndata: b"), uint8(1))
	f.Add([]byte("data: a\r\r\ndata\n\n\n"), uint8(3))
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		whole, err := read(bytes.NewReader(in))
		pieces, err2 := read(&stepReader{in, int(step%16) + 1})
		if fmt.Sprint(err) != fmt.Sprint(err2) || fmt.Sprintf("%q", whole) != fmt.Sprintf("%q", pieces) {
			t.Fatalf("whole %q %v\nin pieces %q %v", whole, err, pieces, err2)
		}
	})
}

type stepReader struct {
	rest []byte
	step int
}

func (s *stepReader) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), s.step)], s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

const deltas = 20000

func longStream() []byte {
	var b bytes.Buffer
	for i := range deltas {
		fmt.Fprintf(&b, `data: {"id":"cmpl-01","object":"chat.completion.chunk","created":1790000000,"model":"acme-chat-1","choices":[{"index":0,"delta":{"content":" word%d"},"finish_reason":null}]}`+"\n\n", i)
	}
	b.WriteString(wrote(`{}`, "stop") + "data: [DONE]\n\n")
	return b.Bytes()
}

// BenchmarkSSE reads a stream of 20,000 deltas; figures are for each delta.
func BenchmarkSSE(b *testing.B) {
	in := longStream()
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		d := newDecoder(bytes.NewReader(in))
		n := 0
		for {
			if _, err := d.next(); err != nil {
				break
			}
			n++
		}
		if n != deltas+2 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/deltas, "ns/delta")
}

// BenchmarkChatStream is the same up to the chunks.
func BenchmarkChatStream(b *testing.B) {
	m, _ := serve(b, string(longStream()))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range m.Stream(b.Context(), hello()) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != deltas+1 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/deltas, "ns/delta")
}
