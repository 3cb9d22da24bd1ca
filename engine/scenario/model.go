package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"time"

	"agentstudio/engine"
)

// Options are what a scripted model is made with. The zero value streams as fast as it is read.
type Options struct {
	// Lang is the language of the interface. A prompt with Chinese characters is answered in
	// Chinese whatever this says.
	Lang string
	// Pace streams at the file's tokens a second; it needs Wait.
	Pace bool
	// Wait pauses for d, or returns ctx's error as soon as that ends; see Pause. Without it
	// nothing ever pauses, but for a stall without end.
	Wait func(ctx context.Context, d time.Duration) error
	// Seed makes the jitter: the same seed, the same pauses.
	Seed uint64
}

// Pause makes an Options.Wait out of a clock. Safe for concurrent use.
func Pause(clock engine.Clock) func(ctx context.Context, d time.Duration) error {
	return func(ctx context.Context, d time.Duration) error {
		done := make(chan struct{})
		stop := clock.AfterFunc(d, func() { close(done) })
		defer stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-done:
			return nil
		}
	}
}

// Model plays the scenario. The model holds no state: what it answers follows from the request
// alone (and the seed), so it goes on from a replayed log. Safe for concurrent use.
func (s *Scenario) Model(o Options) engine.Model { return &model{scenario: s, options: o} }

type model struct {
	scenario *Scenario
	options  Options
}

// Info gives the facts of the file.
func (m *model) Info() engine.ModelInfo {
	f := m.scenario.facts
	return engine.ModelInfo{Provider: "scripted", API: "scenario", ID: f.id, Images: f.images, ContextWindow: f.contextWindow}
}

// Stream answers as the file says. Errors: those that a fail action names, and ctx's own.
func (m *model) Stream(ctx context.Context, r engine.Request) iter.Seq2[engine.Chunk, error] {
	return func(yield func(engine.Chunk, error) bool) {
		s := readRequest(r)
		p := &player{
			ctx: ctx, yield: yield, model: m, s: s, scope: newScope(s), lang: s.language(m.options.Lang),
			dice: rand.New(rand.NewPCG(m.options.Seed, uint64(s.turn)<<32|uint64(s.attempt))),
		}
		p.play(m.scenario.answer(s))
	}
}

// answer picks the actions for a request.
func (s *Scenario) answer(at situation) []action {
	if at.request.Purpose == engine.PurposeSummary {
		return s.summary
	}
	for _, t := range s.turns {
		if t.when.holds(at) {
			return t.do
		}
	}
	return s.otherwise
}

// player plays one answer. Its methods return false when the stream is over.
type player struct {
	ctx   context.Context
	yield func(engine.Chunk, error) bool
	model *model
	s     situation
	scope *scope
	lang  string
	dice  *rand.Rand

	calls  []engine.ToolCall
	stop   engine.StopReason
	output int // tokens, estimated
	spoken bool
	cut    int // characters still to come before the stream is cut; -1 is never
}

func (p *player) play(do []action) {
	p.cut = -1
	for _, a := range do {
		if !p.act(a) {
			return
		}
	}
	if p.stop == "" {
		p.stop = engine.StopEnd
		if len(p.calls) > 0 {
			p.stop = engine.StopToolUse
		}
	}
	for i, c := range p.calls {
		c.Cut = p.stop == engine.StopLength && i == len(p.calls)-1
		if !p.send(c) {
			return
		}
	}
	input := inputTokens(p.s.request)
	// Counted from the text, but it is what this model says: nothing is missing, so it is not
	// marked as an estimate and no notice follows.
	if p.send(engine.Usage{InputTokens: &input, OutputTokens: &p.output}) {
		p.send(engine.Stop{Reason: p.stop})
	}
}

func (p *player) act(a action) bool {
	switch {
	case a.say != nil:
		words := p.scope.render(a.say.in(p.lang))
		if p.spoken && words != "" {
			words = "\n\n" + words
		}
		p.spoken = p.spoken || words != ""
		return p.stream(words, func(s string) engine.Chunk { return engine.Text(s) })
	case a.think != nil:
		return p.stream(p.scope.render(a.think.in(p.lang)), func(s string) engine.Chunk { return engine.Reasoning(s) })
	case a.call != nil:
		p.call(a.call)
	case a.fail != nil && p.s.attempt <= a.fail.attempts:
		return p.fail(a.fail)
	case a.repeat != nil:
		return p.repeat(a.repeat)
	case a.stop != "":
		p.stop = a.stop
	}
	return true
}

// send yields a chunk unless the call was given up.
func (p *player) send(c engine.Chunk) bool {
	if err := p.ctx.Err(); err != nil {
		p.yield(nil, err)
		return false
	}
	return p.yield(c, nil)
}

func (p *player) stream(words string, chunk func(string) engine.Chunk) bool {
	for piece := range pieces(words) {
		over := false
		if p.cut >= 0 {
			runes := []rune(piece)
			over = len(runes) >= p.cut
			piece = string(runes[:min(len(runes), p.cut)])
			p.cut -= min(len(runes), p.cut)
		}
		if !p.pace(piece) || piece != "" && !p.send(chunk(piece)) {
			return false
		}
		p.output += engine.EstimateTokens(piece)
		if over {
			return false // ends without a Stop: that is what a cut looks like
		}
	}
	return true
}

// pace waits as long as a model would take for the piece.
func (p *player) pace(piece string) bool {
	if !p.model.options.Pace {
		return true
	}
	f := p.model.scenario.pace
	seconds := float64(engine.EstimateTokens(piece)) / float64(f.tokensPerSecond) * (1 + f.jitter*(2*p.dice.Float64()-1))
	return p.wait(time.Duration(seconds * float64(time.Second)))
}

func (p *player) wait(d time.Duration) bool {
	if p.model.options.Wait == nil || d <= 0 {
		return true
	}
	if err := p.model.options.Wait(p.ctx, d); err != nil {
		p.yield(nil, err)
		return false
	}
	return true
}

func (p *player) call(c *call) {
	args := json.RawMessage(c.raw)
	if c.args != nil {
		args = p.scope.arguments(c.args, p.lang)
	}
	id := engine.CallID(fmt.Sprintf("call_%d_%d", max(p.s.request.Turn, 1), len(p.calls)+1))
	p.calls = append(p.calls, engine.ToolCall{ID: id, Tool: c.tool, Args: args})
	p.output += engine.EstimateTokens(c.tool) + engine.EstimateTokens(string(args))
}

func (p *player) fail(f *failure) bool {
	switch {
	case f.cut > 0:
		p.cut = f.cut
		return true
	case f.stall && f.stallFor > 0:
		return p.wait(f.stallFor)
	case f.stall:
		<-p.ctx.Done()
		p.yield(nil, p.ctx.Err())
		return false
	}
	words := f.message
	if words == "" {
		words = "no message"
	}
	e := engine.Errorf(f.code, "the scripted model fails on purpose: %s", words)
	if f.status > 0 {
		e.Message = fmt.Sprintf("status %d: %s (on purpose, by the script)", f.status, words)
		e = e.With("status", f.status)
	}
	if f.message != "" {
		e = e.With("providerMessage", f.message)
	}
	if f.retryAfter > 0 {
		e = e.With("retryAfterMs", f.retryAfter.Milliseconds())
	}
	p.yield(nil, e)
	return false
}

func (p *player) repeat(r *repeat) bool {
	n := *r
	if r.fromPrompt {
		n = n.with(p.s.prompt.Text)
	}
	at := 0
	for range n.times {
		piece := prose(at, n.size)
		at += n.size
		if !p.wait(n.every) || !p.send(engine.Text(piece)) {
			return false
		}
		p.output += engine.EstimateTokens(piece)
	}
	p.spoken = true
	return true
}

// paragraph is what is streamed for measuring, over and over: as long as people's paragraphs are.
const paragraph = "An agent that is watched explains itself in paragraphs like this one, which a screen has to lay out " +
	"while more of it arrives. Each piece is short, so that most of what is drawn has been drawn before, and a " +
	"program that starts over with every piece does the same work thousands of times. What counts is how little " +
	"is done for the next few letters, and that a reader sees them at once.\n\n"

// prose is the part of endless paragraphs from a byte on.
func prose(at, size int) string {
	at %= len(paragraph)
	return strings.Repeat(paragraph, (at+size)/len(paragraph)+1)[at : at+size]
}

// with reads figures like 20000, 20000x20 or 20000x20@5ms out of a prompt.
func (r repeat) with(prompt string) repeat {
	m := regexp.MustCompile(`(?:^|\s)(\d{1,7})(?:x(\d{1,4}))?(?:@(\d{1,5}(?:us|ms|s)))?(?:\s|$)`).FindStringSubmatch(prompt)
	if m == nil {
		return r
	}
	if n, err := strconv.Atoi(m[1]); err == nil {
		r.times = min(max(n, 1), maxTimes)
	}
	if n, err := strconv.Atoi(m[2]); err == nil {
		r.size = min(max(n, 1), maxSize)
	}
	if d, err := time.ParseDuration(m[3]); err == nil {
		r.every = d
	}
	r.times = min(r.times, maxRepeat/r.size)
	return r
}

// inputTokens estimates what the request would cost.
func inputTokens(r engine.Request) int {
	n := 0
	for _, s := range r.System {
		n += engine.EstimateTokens(s.Text)
	}
	for _, m := range r.Messages {
		n += engine.EstimateTokens(m.Text)
		for _, c := range m.Calls {
			n += engine.EstimateTokens(c.Tool) + engine.EstimateTokens(string(c.Args))
		}
	}
	for _, t := range r.Tools {
		n += engine.EstimateTokens(t.Name) + engine.EstimateTokens(t.Description) + engine.EstimateTokens(string(t.Parameters))
	}
	return n
}
