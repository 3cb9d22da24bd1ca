package journal

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"agentstudio/engine"
)

const (
	metaName        = "session.json"
	eventsName      = "events.jsonl"
	artifactsName   = "artifacts"
	attachmentsName = "attachments"
	formatVersion   = 1

	maxTitle     = 120 // runes
	maxFirstLine = 60  // runes of a message that stands for a title
)

// meta is session.json: what other programs may want to know without reading the journal.
type meta struct {
	FormatVersion int    `json:"formatVersion"`
	ID            string `json:"id"`
	Title         string `json:"title,omitempty"`
	Workspace     string `json:"workspace,omitempty"`
}

// take notes what an event says of the session, and tells whether that is new. The title is the
// beginning of the first message until somebody gives another one.
func (m *meta) take(p engine.Payload) bool {
	was := *m
	switch p := p.(type) {
	case engine.SessionStarted:
		m.Title, m.Workspace = engine.Label(p.Title, maxTitle), engine.Label(p.Workspace, 4096)
	case engine.SessionRenamed:
		m.Title = engine.Label(p.Title, maxTitle)
	case engine.UserMessage:
		if m.Title == "" {
			if m.Title = engine.Label(p.Text, maxFirstLine); m.Title == "" && len(p.Attachments) > 0 {
				m.Title = engine.Label(p.Attachments[0].Name, maxFirstLine)
			}
		}
	}
	return *m != was
}

func (s *Store) writeMeta(dir string, m meta) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.replace(filepath.Join(dir, metaName), func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
}

func hasMeta(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, metaName))
	return err == nil
}

// newer says that a session was written by a newer program (JOURNAL_NEWER), or nil. A missing or
// unreadable session.json counts as ours: the lines are checked anyway.
func newer(dir string) error {
	var m meta
	b, err := os.ReadFile(filepath.Join(dir, metaName))
	if err != nil || json.Unmarshal(b, &m) != nil || m.FormatVersion <= formatVersion {
		return nil
	}
	return engine.Errorf(engine.JournalNewer, "this session has format %d, written by a newer agentstudio; this one writes format %d and opens it for reading only", m.FormatVersion, formatVersion)
}
