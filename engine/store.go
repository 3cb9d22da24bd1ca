package engine

import (
	"context"
	"iter"
	"sync"
)

// Store is the port to where sessions are kept. All methods may be called at the same time.
type Store interface {
	// Create makes the place of a new session. Nothing need touch the disk before Sync.
	Create(ctx context.Context, id SessionID) (Journal, error)
	// Open opens a session for writing, after cutting off a torn tail. It fails with
	// SESSION_NOT_FOUND, or gives a Journal that only reads together with SESSION_LOCKED,
	// JOURNAL_DAMAGED, JOURNAL_NEWER or JOURNAL_FAILED (no room to set a torn tail aside).
	Open(ctx context.Context, id SessionID) (Journal, error)
}

// Journal is one session in a Store. Append and Sync are called by one goroutine at a time each,
// Sync beside Append; Replay and the artifact methods at any time.
type Journal interface {
	// Append writes the events in order with one write. A loss of power may keep only the first of
	// them. After an error the journal takes nothing more.
	Append(events []Event) error
	// Sync makes all that was appended before the call survive a power loss.
	Sync() error
	// Replay yields the stored events after the given one, in order; an error comes last.
	Replay(ctx context.Context, after Seq) iter.Seq2[Event, error]
	// TornBytes is how much of an unfinished last line Open has set aside.
	TornBytes() int64
	ArtifactStore
	// Attachments are the files of the session's attachments; nil where none are kept.
	Attachments() AttachmentFiles
	// Close syncs, and gives up the lock. Replay still works.
	Close() error
}

// MemStore keeps sessions in memory: for --no-save and for tests.
type MemStore struct {
	// Artifacts makes the place for a session's artifacts.
	Artifacts func(SessionID) ArtifactStore
	// Attachments makes the place for a session's attachments.
	Attachments func(SessionID) AttachmentFiles

	mu       sync.Mutex
	sessions map[SessionID]*memJournal
}

// ArtifactStore keeps the produced files of one session.
type ArtifactStore interface {
	ArtifactWriter
	// Read gives the content of an artifact by its name (REF_NOT_FOUND, READ_FAILED).
	Read(ctx context.Context, name string) ([]byte, error)
}

// Create implements Store.
func (m *MemStore) Create(_ context.Context, id SessionID) (Journal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sessions == nil {
		m.sessions = map[SessionID]*memJournal{}
	}
	j := &memJournal{}
	if m.Artifacts != nil {
		j.ArtifactStore = m.Artifacts(id)
	}
	if m.Attachments != nil {
		j.attachments = m.Attachments(id)
	}
	m.sessions[id] = j
	return j, nil
}

// Open implements Store.
func (m *MemStore) Open(_ context.Context, id SessionID) (Journal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j, ok := m.sessions[id]
	if !ok {
		return nil, Errorf(SessionNotFound, "no session %s in memory", id)
	}
	return j, nil
}

type memJournal struct {
	ArtifactStore
	attachments AttachmentFiles
	mu          sync.RWMutex
	events      []Event
}

func (j *memJournal) Append(events []Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, events...)
	return nil
}

func (j *memJournal) Replay(ctx context.Context, after Seq) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			j.mu.RLock()
			events := j.events
			j.mu.RUnlock()
			if int(after) >= len(events) || ctx.Err() != nil {
				return
			}
			for _, e := range events[after:] {
				if !yield(e, nil) {
					return
				}
				after = e.Seq
			}
		}
	}
}

func (j *memJournal) Attachments() AttachmentFiles { return j.attachments }

func (j *memJournal) Sync() error      { return nil }
func (j *memJournal) TornBytes() int64 { return 0 }
func (j *memJournal) Close() error     { return nil }
