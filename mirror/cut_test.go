package mirror_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"agentstudio/engine"
	"agentstudio/mirror"
)

// rounds is how often the cutting proxy's test runs; scripts/soak sets it.
var rounds = flag.Int("rounds", 50, "rounds through the cutting proxy")

// seed repeats a run of it.
var seed = flag.Uint64("seed", 0, "seed of the cutting proxy, 0 for one of its own")

// cutter is a proxy before the mirror that cuts what comes from it at any byte, delays it, or leaves the
// connection open and says nothing more.
type cutter struct {
	l      net.Listener
	to     string
	mu     sync.Mutex
	dice   *rand.Rand
	first  time.Duration // delay of the first bytes of each connection
	open   []net.Conn
	copies sync.WaitGroup
}

func newCutter(t *testing.T, to string, dice *rand.Rand, first time.Duration) *cutter {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{l: l, to: to, dice: dice, first: first}
	c.copies.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			c.copies.Go(func() { c.carry(in) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		c.mu.Lock()
		for _, x := range c.open {
			_ = x.Close()
		}
		c.mu.Unlock()
		c.copies.Wait()
	})
	return c
}

// fate of a connection: after how many bytes something happens, and whether it is cut or only falls silent.
func (c *cutter) fate() (after int, silent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dice.IntN(8) == 0 {
		return 1 << 30, false
	}
	return c.dice.IntN(1 << (4 + c.dice.IntN(13))), c.dice.IntN(4) == 0
}

func (c *cutter) pause() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dice.IntN(4) > 0 {
		return 0
	}
	return time.Duration(c.dice.IntN(3000)) * time.Microsecond
}

func (c *cutter) carry(in net.Conn) {
	out, err := net.Dial("tcp", c.to)
	if err != nil {
		_ = in.Close()
		return
	}
	c.mu.Lock()
	c.open = append(c.open, in, out)
	c.mu.Unlock()
	c.copies.Go(func() { _, _ = io.Copy(out, in); _ = out.Close() })
	left, silent := c.fate()
	delay := time.NewTimer(c.first)
	buf := make([]byte, 4096)
	for {
		n, err := out.Read(buf)
		<-delay.C
		delay.Reset(c.pause())
		if n > left {
			_, _ = in.Write(buf[:left])
			if silent {
				return // both stay open beside whatever comes next
			}
			break
		}
		left -= n
		if _, werr := in.Write(buf[:n]); err != nil || werr != nil {
			break
		}
	}
	_ = in.Close()
	_ = out.Close()
}

// talker is a model that speaks in pieces and asks for a decision in every other answer.
type talker struct {
	mu   sync.Mutex
	n    int
	dice *rand.Rand
}

func (k *talker) turn(ctx context.Context, yield func(engine.Chunk) bool) error {
	k.mu.Lock()
	n, pieces := k.n, make([]string, 5+k.dice.IntN(60))
	k.n++
	for i := range pieces {
		pieces[i] = []string{"word ", "\r\n", "你好", "\x1b[31m", "é\u0301", "👩‍👩‍👧", "\u202e", "\t", "long " + strings.Repeat("x", 500)}[k.dice.IntN(9)]
	}
	k.mu.Unlock()
	for _, p := range pieces {
		if !yield(engine.Text(p)) {
			return nil
		}
	}
	if n%2 == 0 {
		if !yield(engine.ToolCall{ID: engine.CallID(fmt.Sprintf("call_%d", n)), Tool: "save", Args: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))}) {
			return nil
		}
		yield(engine.Stop{Reason: engine.StopToolUse})
		return nil
	}
	yield(engine.Stop{Reason: engine.StopEnd})
	return nil
}

// phone follows and decides through the proxy, by docs/mirror.md alone.
type phone struct {
	s       *stage
	token   string
	addr    string
	page    page
	settled map[string]message // results by id
	decided map[string]bool    // questions that were answered with approve
	yes     func() bool
	dials   int
}

// see follows until the page holds a sequence and every decision it made has its result.
func (p *phone) see(until func() bool) {
	for !until() {
		p.dials++
		p.connection(until)
	}
}

func (p *phone) connection(until func() bool) {
	c, err := p.s.tryDial(p.addr)
	if err != nil {
		return // cut in the handshake
	}
	c.page = p.page // shared maps: this is the only connection that is read
	defer func() { p.page = c.page }()
	if c.conn.WriteJSON(map[string]any{"type": "auth", "token": p.token, "after": c.page.sequence}) != nil {
		return
	}
	sent := map[string]bool{}
	for !until() {
		_ = c.conn.SetReadDeadline(time.Now().Add(150 * time.Millisecond)) // a proxy that fell silent
		_, b, err := c.conn.ReadMessage()
		if err != nil {
			return // the old connection is left as it is, perhaps open
		}
		var m message
		if err := json.Unmarshal(b, &m); err != nil {
			p.s.t.Fatal(err)
		}
		m.raw = string(b)
		if err := c.page.take(m); err != nil {
			p.s.t.Fatalf("%v in %s", err, m.raw)
		}
		p.page = c.page
		if m.Type == "result" {
			if was, ok := p.settled[m.ID]; ok && (was.OK != m.OK || was.Code != m.Code) {
				p.s.t.Fatalf("first %s, then %s", was.raw, m.raw)
			}
			p.settled[m.ID] = m
		}
		for _, a := range c.page.approvals {
			id := "d" + a.ID
			if _, known := p.settled[id]; known || sent[id] {
				continue
			}
			if _, chosen := p.decided[id]; !chosen {
				p.decided[id] = p.yes()
			}
			sent[id] = true
			if c.conn.WriteJSON(decision(id, a, p.decided[id], time.Now())) != nil {
				return
			}
		}
	}
}

// After any number of cuts the page is what the server has, and no decision is lost, doubled or late.
func TestCuttingProxy(t *testing.T) {
	t.Parallel()
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("seed %d", *seed)
	dice := rand.New(rand.NewPCG(*seed, 1))
	k := &talker{dice: rand.New(rand.NewPCG(*seed, 2))}
	s := open(t, func(o *mirror.Options) {
		o.Limits = mirror.Limits{Snapshots: 1e6, Catchups: 1e6, Decisions: 1e6, Frames: 1e6, Connects: 1e6}
	}, k.turn)
	proxy := newCutter(t, strings.TrimPrefix(s.base, "http://"), rand.New(rand.NewPCG(*seed, 3)), time.Millisecond)
	p := &phone{s: s, token: s.tokens[mirror.Approver], addr: proxy.l.Addr().String(), page: newPage(), settled: map[string]message{},
		decided: map[string]bool{}, yes: func() bool { return dice.IntN(2) == 0 }}
	for range *rounds {
		run := s.send("go on")
		ended := make(chan engine.Seq, 1)
		go func() {
			ended <- s.until(func(e engine.Event) bool { return e.Run == run && engine.Terminal(e.Payload) }).Seq
		}()
		var end engine.Seq
		p.see(func() bool {
			select {
			case end = <-ended:
			default:
			}
			return end != 0 && p.page.sequence >= uint64(end)
		})
		c := s.dialFrom(p.token, p.page) // the same page, no longer cut
		c.upto(end)
		c.agrees()
		p.page = c.page
		_ = c.conn.Close()
	}
	p.check()
	t.Logf("%d connections for %d rounds, %d decisions", p.dials, *rounds, len(p.decided))
	if p.dials < *rounds {
		t.Error("the proxy hardly cut anything")
	}
}

// check compares what the phone decided with what the log has.
func (p *phone) check() {
	found := map[string]int{}
	approved := 0
	last := p.s.last()
	p.s.until(func(e engine.Event) bool {
		if r, ok := e.Payload.(engine.ApprovalResolved); ok {
			id := "d" + string(r.Approval)
			found[id]++
			if yes := r.Status == engine.Approved; yes != p.decided[id] || r.By.Screen != "mirror" {
				p.s.t.Errorf("%s: the phone said %v, the log has %s by %s", id, p.decided[id], r.Status, r.By.Screen)
			}
			if r.Status == engine.Approved {
				approved++
			}
		}
		return e.Seq == last
	})
	for id := range p.decided {
		if found[id] != 1 {
			p.s.t.Errorf("%s is %d times in the log", id, found[id])
		}
		if m, ok := p.settled[id]; ok && !m.OK {
			p.s.t.Errorf("%s was refused: %s", id, m.raw)
		}
	}
	if n := int(p.s.tool.ran.Load()); n != approved {
		p.s.t.Errorf("the tool ran %d times for %d approvals", n, approved)
	}
}
