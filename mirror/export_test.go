package mirror

import (
	"net"

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
