package mirror

// presence tells who watches, if that has changed.
func (f *feed) presence(c *carrying) error {
	version, p := f.m.watchers()
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

func (m *Mirror) watchers() (version int, p presence) {
	m.mu.Lock()
	defer m.mu.Unlock()
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
	return m.lobby, p
}
