package mirror

import (
	"agentstudio/engine"
)

// mayConnect counts a socket or stream that a device opens.
func (m *Mirror) mayConnect(d *device) bool { return d.connects.AllowN(m.now(), 1) }

// mayCatchUp counts a whole view, or a catching up.
func (m *Mirror) mayCatchUp(d *device, h hello) bool {
	if m.startsAnew(d, h) {
		return d.snapshots.AllowN(m.now(), 1)
	}
	return d.catchups.AllowN(m.now(), 1)
}

// startsAnew tells whether a client that stands there is sent a whole view, or as good as one: more than half of
// a long history.
func (m *Mirror) startsAnew(d *device, h hello) bool {
	_, share, _ := m.standing(d)
	f := m.folder(share)
	seq, _, _ := f.sequence()
	return h.after == 0 || h.unfit(f, seq) || seq >= long && h.after < seq/2
}

// unfit tells whether a client can't go on from where it stands.
func (h hello) unfit(f *folder, seq engine.Seq) bool {
	return h.after > seq || h.session != "" && h.session != f.session || h.share != "" && h.share != f.share
}

func tooManyConnects(most int) error {
	return engine.Errorf(engine.RateLimited, "more than the %d sockets and streams a minute that a device may open", most)
}
