package mirror_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// told is a log of runs that each ask and answer, of which some are long.
func told(r *rand.Rand, runs int) (events []engine.Event) {
	add := func(run engine.RunID, p engine.Payload) {
		n := engine.Seq(len(events) + 1)
		events = append(events, engine.Event{ID: engine.EventID(fmt.Sprint("evt_", n)), Session: "ses_1", Seq: n, At: time.Unix(int64(n), 0).UTC(), Run: run, Payload: p})
	}
	add("", engine.SessionStarted{Title: "long"})
	for i := range runs {
		run, said := engine.RunID(fmt.Sprint("run_", i)), engine.MessageID(fmt.Sprint("msg_", i))
		add("", engine.UserMessage{Message: "usr_" + said, Text: fmt.Sprint("question ", i), Delivery: "prompt", By: tester})
		add(run, engine.RunStarted{Run: run})
		add(run, engine.AssistantStarted{Message: said})
		for range 1 + r.IntN(4) {
			add(run, engine.AssistantDelta{Message: said, Delta: fmt.Sprint(r.IntN(1000), " words ")})
		}
		add(run, engine.AssistantCompleted{Message: said})
		add(run, engine.RunCompleted{})
	}
	return events
}

// frames has the page take frames in.
func (p *page) frames(t *testing.T, frames [][]byte) {
	t.Helper()
	for _, b := range frames {
		var m message
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		if err := p.take(m); err != nil {
			t.Fatal(err)
		}
	}
}

// The newest rows go ahead of a long history, and with the rest the page is what the server holds,
// whatever it held and whatever came in between.
func TestNewestRowsGoAhead(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 40 {
		all := told(r, 60+r.IntN(200))
		held := r.IntN(len(all))
		if r.IntN(2) == 0 {
			held = 0
		}
		now := held + r.IntN(len(all)-held+1)
		p := newPage()
		first, rest, _, err := mirror.CatchUp(mirror.ShareAll, all[:held], nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		p.frames(t, slices.Concat(first, rest))
		var hash string
		first, rest, hash, err = mirror.CatchUp(mirror.ShareAll, all[:now], all[now:], engine.Seq(held))
		if err != nil {
			t.Fatal(err)
		}
		p.frames(t, first)
		if p.sequence != uint64(held) {
			t.Fatalf("what goes ahead moved the page from %d to %d", held, p.sequence)
		}
		if want := held == 0 && now >= 160; len(first) != map[bool]int{true: 2}[want] {
			t.Fatalf("of %d to %d %d frames go ahead", held, now, len(first))
		}
		cutShort := p.clone() // the connection breaks here, and the page comes again
		p.frames(t, rest)
		if p.hash() != hash || p.sequence != uint64(len(all)) {
			t.Fatalf("held %d, now %d, then %d: the page has %s at %d, the server %s", held, now, len(all), p.hash(), p.sequence, hash)
		}
		first, rest, hash, err = mirror.CatchUp(mirror.ShareAll, all, nil, engine.Seq(held))
		if err != nil {
			t.Fatal(err)
		}
		cutShort.frames(t, slices.Concat(first, rest))
		if cutShort.hash() != hash {
			t.Fatalf("held %d, cut after what went ahead at %d: the page has %s, the server %s", held, now, cutShort.hash(), hash)
		}
	}
}

// What goes ahead is the end of the conversation, and everything that is no row.
func TestWhatGoesAhead(t *testing.T) {
	all := told(rand.New(rand.NewPCG(1, 1)), 500)
	first, _, _, err := mirror.CatchUp(mirror.ShareAll, all, nil, 0)
	if err != nil || len(first) != 2 || string(first[0]) != `{"type":"reset"}` {
		t.Fatalf("%q goes ahead: %v", first, err)
	}
	p := newPage()
	p.frames(t, first)
	chat := p.order["chat"]
	if len(chat) != 40 || chat[0] != "usr_msg_480" || chat[39] != "msg_499" || len(p.order["timeline"]) != 40 {
		t.Errorf("the chat that goes ahead is %q, %d rows of the timeline", chat, len(p.order["timeline"]))
	}
	var fields map[string]any
	if err := json.Unmarshal(first[1], &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"session", "status"} {
		if fields[name] == nil {
			t.Errorf("%s does not go ahead", name)
		}
	}
}
