package provider

import (
	"strings"
	"testing"
	"time"
)

const (
	failedStatus    = 3
	cancelledStatus = 4
)

// fakeFault is what an instance of the fake does, always.
type fakeFault struct {
	name     string
	fixtures string
	flags    []string
	story    string // of the run
	requests int
	status   int // of the program
	delay    int64
	http     any // status that the retries tell
}

func fakeFaults() []fakeFault {
	const begin, end = "run.started turn.started ", "turn.completed run.failed "
	twice := begin + "model.retrying model.retrying " + end
	cut := "assistant.completed turn.completed "
	return []fakeFault{
		{name: "too many requests", fixtures: "demo.json", flags: []string{"--chaos-ratelimit", "1"}, story: twice + "MODEL_RATE_LIMITED", requests: 3, status: failedStatus, delay: 1000, http: 429.0},
		{name: "a fault of the server", fixtures: "demo.json", flags: []string{"--chaos-drop", "1"}, story: twice + "MODEL_SERVER", requests: 3, status: failedStatus, http: 500.0},
		{name: "malformed JSON", fixtures: "demo.json", flags: []string{"--chaos-malformed", "1"}, story: begin + end + "MODEL_PROTOCOL", requests: 1, status: failedStatus},
		{name: "no answer at all", fixtures: "demo.json", flags: []string{"--chaos-disconnect", "1"}, story: twice + "MODEL_UNREACHABLE", requests: 3, status: failedStatus},
		{name: "an answer cut in the middle", fixtures: "cut.json", flags: []string{"--latency", "20", "--chunk-size", "8"}, story: begin + cut + "model.retrying turn.started " + cut + "run.failed MODEL_STREAM_CUT", requests: 2, status: failedStatus},
	}
}

// TestAnIndependentFake runs the built program against a fake of all three APIs that others wrote:
// one instance a fault. The fake judges no request, so ours does, in between.
func TestAnIndependentFake(t *testing.T) {
	aimock, program := fakes(t)
	plain := startFake(t, aimock, "demo.json")
	slow := startFake(t, aimock, "demo.json", "--latency", "300", "--chunk-size", "4")
	for _, d := range dialects() {
		t.Run(d.name+", the demo", func(t *testing.T) {
			t.Parallel()
			theDemo(t, program, d, stand(t, d, plain))
		})
		t.Run(d.name+", cancelled", func(t *testing.T) {
			t.Parallel()
			cancelled(t, program, d, stand(t, d, slow))
		})
	}
	for _, f := range fakeFaults() {
		at := startFake(t, aimock, f.fixtures, f.flags...)
		for _, d := range dialects() {
			t.Run(d.name+", "+f.name, func(t *testing.T) {
				t.Parallel()
				b := stand(t, d, at)
				f.check(t, play(t, program, d, b.URL, func(toldEvent, func()) {}), b.requests())
			})
		}
	}
}

func (f fakeFault) check(t *testing.T, r told, sent []string) {
	t.Helper()
	if r.story() != f.story || len(sent) != f.requests || r.status != f.status {
		t.Errorf("%s\nwant %s\n%d requests, status %d, want %d and %d\n%s", r.story(), f.story, len(sent), r.status, f.requests, f.status, r.errors)
	}
	for n, e := range r.all("model.retrying") {
		if p := e.Payload; p.Attempt != n+2 || p.Status != f.http || p.DelayMS <= 0 || f.delay != 0 && p.DelayMS != f.delay {
			t.Errorf("try %d: %+v", n, p)
		}
	}
	if f.fixtures != "cut.json" && r.said("assistant.delta") != "" {
		t.Errorf("something was said: %q", r.said("assistant.delta"))
	}
	if f.fixtures == "cut.json" && (!strings.HasPrefix(r.said("assistant.delta"), "This ") || !strings.Contains(sent[len(sent)-1], "cut off")) {
		t.Errorf("said %q; then sent %s", r.said("assistant.delta"), sent[len(sent)-1])
	}
}

// theDemo works with tool calls, side by side and one after another, and an approval.
func theDemo(t *testing.T, program string, d dialect, b *between) {
	r := play(t, program, d, b.URL, func(toldEvent, func()) {})
	want := "run.started turn.started assistant.completed read mock_ads_metrics turn.completed" +
		" turn.started assistant.completed save_report_draft turn.completed approval.required approval.resolved artifact.ready" +
		" turn.started assistant.completed turn.completed run.completed"
	if r.story() != want || r.status != 0 {
		t.Errorf("%s\nwant %s\nstatus %d\n%s", r.story(), want, r.status, r.errors)
	}
	if text := "First the skill, then the figures: 先读取技能，再取数。The report is saved."; r.said("assistant.delta") != text {
		t.Errorf("said %q", r.said("assistant.delta"))
	}
	if text := "The skill first, and the figures at the same time.They are all there."; r.said("reasoning.delta") != text {
		t.Errorf("thought %q", r.said("reasoning.delta"))
	}
	if done, failed := r.all("tool.completed"), r.all("tool.failed"); len(done) != 3 || len(failed) != 0 {
		t.Errorf("%d calls done, %d failed", len(done), len(failed))
	}
	for _, e := range r.all("turn.completed") {
		if e.Payload.Usage.Input == nil {
			t.Errorf("a turn without usage: %+v", e)
		}
	}
	sent := b.requests()
	if len(sent) != 3 {
		t.Fatalf("%d requests", len(sent))
	}
	back := map[string]string{"chat": `"reasoning_content":"The skill first`, "responses": `"encrypted_content":"`, "messages": `"signature":"aimock-placeholder-signature"`}[d.name]
	if strings.Contains(sent[0], back) || strings.Count(sent[1], back) != 1 || back == "" {
		t.Errorf("%s is not given back:\n%s", back, sent[1])
	}
	for _, id := range []string{"call_skill", "call_figures", "call_report"} {
		if strings.Count(sent[2], `"`+id+`"`) != 2 {
			t.Errorf("%s and its result are not in %s", id, sent[2])
		}
	}
}

// cancelled breaks an answer off in its middle: the run ends as cancelled and the server's request is
// given up.
func cancelled(t *testing.T, program string, d dialect, b *between) {
	once := false
	r := play(t, program, d, b.URL, func(e toldEvent, interrupt func()) {
		if !once && strings.HasSuffix(e.Type, ".delta") {
			once = true
			interrupt()
		}
	})
	if want := "run.started turn.started assistant.completed turn.completed run.cancelled user"; r.story() != want || r.status != cancelledStatus {
		t.Errorf("%s\nwant %s\nstatus %d\n%s", r.story(), want, r.status, r.errors)
	}
	if said := r.said("assistant.delta"); strings.Contains(said, "数。") || len(b.requests()) != 1 {
		t.Errorf("said all of %q, %d requests", said, len(b.requests()))
	}
	select {
	case <-b.gone:
	case <-time.After(20 * time.Second):
		t.Error("the server's request goes on")
	}
}
