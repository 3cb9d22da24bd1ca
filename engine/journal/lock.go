package journal

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
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
func (s *Store) lock(dir string) (unlock func(), err error) {
	l := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	got, err := false, s.fail("lock")
	// The list of sessions takes a shared lock for a moment to see whether somebody has this one.
	// That must not keep a writer out, so a writer tries a few times.
	for wait := time.Millisecond; err == nil && !got && wait <= 32*time.Millisecond; wait *= 2 {
		if got, err = l.TryLock(); err == nil && !got {
			time.Sleep(wait)
		}
	}
	if err != nil {
		_ = l.Close()
		return nil, unlockable(err)
	}
	if !got {
		_ = l.Close()
		return nil, lockedBy(dir)
	}
	if isDir, err := os.Stat(dir); err != nil || !isDir.IsDir() { // deleted while we waited
		_ = l.Close()
		return nil, engine.Errorf(engine.SessionNotFound, "the session has just been deleted")
	}
	announce(dir)
	return func() { _ = l.Close() }, nil
}

// announce writes down who has the lock. Only a message hangs on it, so errors don't count.
func announce(dir string) {
	host, _ := os.Hostname()
	b, _ := json.Marshal(holder{os.Getpid(), host, time.Now().UTC().Truncate(time.Second)})
	t, err := os.CreateTemp(dir, "."+holderName+"-*")
	if err != nil {
		return
	}
	_, err = t.Write(b)
	if errors.Join(err, t.Close()) != nil || os.Rename(t.Name(), filepath.Join(dir, holderName)) != nil {
		_ = os.Remove(t.Name())
	}
}

func unlockable(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return engine.Errorf(engine.SessionNotFound, "the session has just been deleted")
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		return &engine.Error{Code: engine.SessionLocked, Err: err,
			Message: "the session's folder cannot be written (" + reason(err) + "), so it is open for reading only; fix its rights, or choose another folder with --state"}
	}
	return &engine.Error{Code: engine.SessionLocked, Err: err,
		Message: "this file system gives no locks (" + reason(err) + "), so nothing is written here; choose another folder with --state, or use --no-save"}
}

func lockedBy(dir string) error {
	var h holder
	b, err := os.ReadFile(filepath.Join(dir, holderName))
	if err == nil {
		err = json.Unmarshal(b, &h)
	}
	if err != nil {
		return engine.Errorf(engine.SessionLocked, "another process has this session open; close it there first")
	}
	since := h.Since.Local().Format("2006-01-02 15:04:05")
	if host, _ := os.Hostname(); h.PID == os.Getpid() && h.Host == host {
		return engine.Errorf(engine.SessionLocked, "this program has the session open already, since %s", since).
			With("pid", h.PID).With("since", h.Since.Format(time.RFC3339))
	}
	return engine.Errorf(engine.SessionLocked, "another process has this session open: process %d since %s; close it there first", h.PID, since).
		With("pid", h.PID).With("since", h.Since.Format(time.RFC3339))
}

// locked tells whether another process holds the session, changing nothing.
func locked(dir string) bool {
	path := filepath.Join(dir, lockName)
	if i, err := os.Lstat(path); err != nil || !i.Mode().IsRegular() {
		return false
	}
	l := flock.New(path)
	got, err := l.TryRLock()
	_ = l.Close()
	return err == nil && !got
}
