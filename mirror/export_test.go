package mirror

import (
	"net"
	"time"

	"agentstudio/engine"
)

// Filter is the event as a share level sees it.
func Filter(s Share, e engine.Event) engine.Event { return s.filter(e) }

// Routes are the ways in, for the test that goes through all of them.
func Routes() (all [][3]string) {
	names := map[act]string{anybody: "anybody", follow: "follow", decide: "decide", operate: "operate"}
	for _, r := range routes() {
		all = append(all, [3]string{r.method, r.path, names[r.need]})
	}
	return all
}

// Far has every connection taken for one from another machine.
func (o *Options) Far() { o.near = func(net.Addr) bool { return false } }

// CatchUp folds events and gives the frames for a reader that holds those up to a sequence: first what
// goes ahead, then, after more events were folded, the rest; and the hash of it all.
func CatchUp(share Share, events, meanwhile []engine.Event, after engine.Seq) (first, rest [][]byte, hash string, err error) {
	f := newFolder(share, "ses_1")
	if err := f.fold(events); err != nil {
		return nil, nil, "", err
	}
	var parts []*frame
	var given ahead
	if after == 0 {
		parts, given = f.newest()
	}
	if err := f.fold(meanwhile); err != nil {
		return nil, nil, "", err
	}
	for _, p := range parts {
		first = append(first, p.body)
	}
	parts, _ = f.changes(after, given)
	for _, p := range parts {
		rest = append(rest, p.body)
	}
	sum, _ := f.hash()
	return first, rest, sum.String(), nil
}

// Hasty has bodies, uploads and readers that stop noticed after as long.
func (o *Options) Hasty(d time.Duration) { o.pace = pace{write: d, body: d, stall: d} }

// Escaped is JSON as it goes out with events.
func Escaped(b []byte) []byte { return escaped(b, 0) }

// The bounds of connections on which no token was seen.
const (
	GuestsEach  = guestsEach
	LedgerLines = ledgerLines
)
