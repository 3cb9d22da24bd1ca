package journal

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"agentstudio/engine"
)

const (
	lockName   = "lock"
	holderName = "holder.json"
)

// holder says who has a session's lock, for the message to others. It means nothing by itself:
// the lock is held by the kernel and ends with the process.
type holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// lock takes a session's lock for this process, or says who has it (SESSION_LOCKED).
func lock(dir string) (unlock func(), err error) {
	l := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	got, err := l.TryLock()
	if err != nil {
		return nil, &engine.Error{Code: engine.SessionLocked, Err: err,
			Message: "this file system gives no locks (" + reason(err) + "), so the session is open for reading only; choose another folder with --state"}
	}
	if !got {
		_ = l.Close()
		return nil, lockedBy(dir)
	}
	host, _ := os.Hostname()
	b, _ := json.Marshal(holder{os.Getpid(), host, time.Now().UTC().Truncate(time.Second)})
	_ = os.WriteFile(filepath.Join(dir, holderName), b, 0o600) // only for the message
	return func() { _ = l.Unlock() }, nil
}

func lockedBy(dir string) error {
	var h holder
	b, err := os.ReadFile(filepath.Join(dir, holderName))
	if err == nil {
		err = json.Unmarshal(b, &h)
	}
	if err != nil {
		return engine.Errorf(engine.SessionLocked, "another process has this session open")
	}
	return engine.Errorf(engine.SessionLocked, "another process has this session open: process %d since %s; close it there first", h.PID, h.Since.Local().Format("2006-01-02 15:04:05")).
		With("pid", h.PID).With("since", h.Since.Format(time.RFC3339))
}

// locked tells whether another process holds the session, changing nothing.
func locked(dir string) bool {
	path := filepath.Join(dir, lockName)
	if _, err := os.Stat(path); err != nil {
		return false
	}
	l := flock.New(path)
	got, err := l.TryRLock()
	_ = l.Close()
	return err == nil && !got
}

// meta is session.json.
type meta struct {
	FormatVersion int    `json:"formatVersion"`
	ID            string `json:"id"`
}

const (
	metaName      = "session.json"
	eventsName    = "events.jsonl"
	formatVersion = 1
)

func writeMeta(dir string, id engine.SessionID) error {
	b, err := json.Marshal(meta{formatVersion, string(id)})
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, metaName), append(b, '\n'))
}

// newer says that a session was written by a newer program (JOURNAL_NEWER), or nil. A missing or
// unreadable session.json counts as ours: the lines are checked anyway.
func newer(dir string) error {
	var m meta
	b, err := os.ReadFile(filepath.Join(dir, metaName))
	if err != nil || json.Unmarshal(b, &m) != nil || m.FormatVersion <= formatVersion {
		return nil
	}
	return engine.Errorf(engine.JournalNewer, "%s", fmt.Sprintf("this session has format %d, written by a newer agentstudio; this one writes format %d and opens it for reading only", m.FormatVersion, formatVersion))
}
