package mirror

import "time"

// lobbyEvery is how often at most comings and goings are told to everybody.
const lobbyEvery = 250 * time.Millisecond

// lobby is who watches, as it was last told. It is the Mirror's, under its mutex.
type lobby struct {
	version int
	told    time.Time
	timer   *time.Timer // until the next telling; nil when none is due
}

// moved tells everybody who watches, at once or a little later together with what else happens until
// then. Called with mu held.
func (m *Mirror) moved() {
	l := &m.lobby
	if l.timer != nil || m.ended {
		return
	}
	due := lobbyEvery - time.Since(l.told)
	if due <= 0 {
		m.tellLobby()
		return
	}
	l.timer = time.AfterFunc(due, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		l.timer = nil
		m.tellLobby()
	})
}

// tellLobby is called with mu held.
func (m *Mirror) tellLobby() {
	m.lobby.version++
	m.lobby.told = time.Now()
	for _, f := range m.feeds {
		f.ring()
	}
}

// presence tells who watches, if that has changed.
func (f *feed) presence(c *carrying) error {
	version, p := f.m.watchers(c.lobby)
	if version == c.lobby {
		return nil
	}
	c.lobby = version
	return f.sink.write([]*frame{controlFrame(p)})
}

// presence is who watches: viewers as a number, the others by name and role.
type presence struct {
	Type    string    `json:"type"`
	Viewers int       `json:"viewers"`
	People  []watcher `json:"people"`
}

type watcher struct {
	Device string `json:"deviceId"`
	Name   string `json:"name"`
	Role   Role   `json:"role"`
}

// watchers are those who watch, unless that is what a version has told already.
func (m *Mirror) watchers(told int) (version int, p presence) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lobby.version == told {
		return told, p
	}
	p = presence{Type: "presence", People: []watcher{}}
	seen := map[*device]bool{}
	for _, f := range m.feeds {
		if seen[f.device] {
			continue
		}
		seen[f.device] = true
		if f.device.role == Viewer {
			p.Viewers++
		} else {
			p.People = append(p.People, watcher{f.device.id, f.device.name, f.device.role})
		}
	}
	return m.lobby.version, p
}
