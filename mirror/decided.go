package mirror

import "maps"

// Decided is what was decided at the terminal that outlives a mirror which is switched off: the share
// level, and of the tokens of the file which have ended and what role each has. Its zero value is that
// nothing was. It holds no token, only hashes, and is never changed: it may be used by any goroutine.
type Decided struct {
	share Share // "" for what the options say
	file  map[[32]byte]fileToken
}

// fileToken is what became of a token of the file.
type fileToken struct {
	id    string // of its device
	role  Role
	ended bool // revoked, or its device left
}

// Decided is what the next mirror of this program goes on from.
func (m *Mirror) Decided() Decided {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Decided{share: m.share, file: maps.Clone(m.file)}
}

// admitFile lets in the tokens of the file, but for those that have ended. It is called before the
// mirror serves.
func (m *Mirror) admitFile() {
	m.file = map[[32]byte]fileToken{}
	maps.Copy(m.file, m.o.Decided.file)
	for _, t := range m.o.Tokens {
		key := sum(t.Token)
		was, known := m.file[key]
		if was.ended {
			continue
		}
		d := m.newDevice(t.Name, t.Role, viaFile)
		if known {
			d.id, d.role = was.id, was.role
		}
		m.devices[key] = d
		m.file[key] = fileToken{id: d.id, role: d.role}
	}
}

// noteFile keeps in mind what became of a device of the file. It is called with mu held.
func (m *Mirror) noteFile(d *device) {
	for key, t := range m.file {
		if t.id == d.id {
			m.file[key] = fileToken{id: d.id, role: d.role, ended: d.revoked}
		}
	}
}
