package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Session is one conversation: commands go in by Do, events come out by Follow, Read looks at
// what the log only names. All methods may be called from any goroutine.
type Session struct {
	id     SessionID
	cfg    *Config // as the settings have it; changed between runs, with mu held
	given  Config  // as it was handed over
	log    *log
	broker *broker
	redact *Redactor
	tools  []offered
	intake Intake // nil where no attachments are taken
	spawn  func(func())
	closer func()
	only   error // why it is read-only, or nil
	ended  chan struct{}
	opened Seq // see Opened

	mu     sync.Mutex
	stop   context.CancelCauseFunc // nil when idle
	active RunID                   // "" when idle
	closed bool
}

// ID names the session.
func (s *Session) ID() SessionID { return s.id }

// Opened is the newest event that was there before this opening; 0 for a new session.
func (s *Session) Opened() Seq { return s.opened }

// ReadOnly says why the session takes no commands (SESSION_LOCKED, JOURNAL_DAMAGED,
// JOURNAL_NEWER), or nil.
func (s *Session) ReadOnly() error { return s.only }

// Busy tells whether a run is active.
func (s *Session) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stop != nil
}

// Follow yields every event after the given one in batches, never empty, past and future, until
// ctx ends or the session is closed and all has been seen. Nothing is dropped and nobody waits
// for a reader. A batch must not be changed. An error is the last thing yielded: EVENT_GAP or
// what reading the journal met.
func (s *Session) Follow(ctx context.Context, after Seq) iter.Seq2[[]Event, error] {
	return s.log.follow(ctx, after)
}

// Ref names what Read opens: exactly one field is set.
type Ref struct {
	Artifact   string // id of an artifact of this session
	Attachment string // id of a picture of this session
	Skill      string // location of a skill's file, as in skill:NAME/SKILL.md
	Folder     string // location of a folder of the workspace; what is read is a name a line, folders with a slash behind
}

// Read opens what the log names, as the user (REF_NOT_FOUND and the workspace's codes).
func (s *Session) Read(ctx context.Context, ref Ref) (io.ReadCloser, error) {
	if ref.Skill != "" {
		if s.cfg.ReadSkill == nil {
			return nil, Errorf(RefNotFound, "this session has no skills to read")
		}
		return s.cfg.ReadSkill(ctx, ref.Skill)
	}
	if ref.Folder != "" {
		if s.cfg.ListFolder == nil {
			return nil, Errorf(RefNotFound, "this session has no folder to list")
		}
		names, err := s.cfg.ListFolder(ctx, ref.Folder)
		return io.NopCloser(strings.NewReader(strings.Join(names, "\n"))), err
	}
	if ref.Attachment != "" {
		return s.look(ctx, ref.Attachment)
	}
	var a Artifact
	var ok bool
	s.log.read(func(f *fold) { a, ok = f.artifacts[ref.Artifact] })
	if !ok {
		return nil, Errorf(RefNotFound, "this session has no artifact %q", ref.Artifact)
	}
	content, err := s.log.journal.Read(ctx, a.Name)
	return io.NopCloser(bytes.NewReader(content)), err
}

// look opens a picture.
func (s *Session) look(ctx context.Context, id string) (io.ReadCloser, error) {
	var a Attachment
	s.log.read(func(f *fold) {
		if at := f.attachment(id); at != nil {
			a = at.Attachment
		}
	})
	if a.ID == "" || s.intake == nil {
		return nil, Errorf(RefNotFound, "this session has no attachment %.80q", id)
	}
	content, err := s.intake.Read(ctx, a)
	return io.NopCloser(bytes.NewReader(content)), err
}

// Do accepts or refuses a command at once, Attach once its file has been read; what comes of it is
// told by events. Whoever has seen a run's last event may Send at once.
func (s *Session) Do(ctx context.Context, c Command) (Receipt, error) {
	if s.only != nil {
		return Receipt{}, &Error{Op: "session.do", Code: SessionReadOnly, Err: s.only,
			Message: "this session is open for reading only: " + MessageOf(s.only)}
	}
	if err := s.log.failed(); err != nil {
		return Receipt{}, At("session.do", err)
	}
	switch c := c.(type) {
	case Send:
		r, err := s.send(ctx, said{c.Text, c.Attachments, prompt, c.By})
		return r, At("session.send", err)
	case FollowUp:
		r, err := s.send(ctx, said{c.Text, c.Attachments, followUp, c.By})
		return r, At("session.followUp", err)
	case Steer:
		r, err := s.send(ctx, said{c.Text, c.Attachments, steer, c.By})
		return r, At("session.steer", err)
	case Withdraw:
		r, err := s.withdraw(c)
		return r, At("session.withdraw", err)
	case Cancel:
		return Receipt{}, At("session.cancel", s.cancel(cancelled{c.reason(), c.By}))
	case Decide:
		status := Denied
		if c.Approve {
			status = Approved
		}
		reason := s.redact.Text(strings.ToValidUTF8(cutRunes(strings.TrimSpace(c.Reason), maxReason), "\uFFFD"))
		if c.Trial {
			r, err := s.broker.try(c.Approval, c.Digest, status)
			return r, At("session.decide", err)
		}
		r, err := s.broker.resolve(c.Approval, c.Digest, status, c.By, reason, 0)
		return r, At("session.decide", err)
	case Extend:
		if c.By.Screen != "tui" && c.By.Screen != "mirror" {
			return Receipt{}, Errorf(NotAllowed, "only a person at a screen may give an approval more time")
		}
		if c.More <= 0 {
			return Receipt{}, Errorf(InvalidCommand, "the extension must be longer than nothing")
		}
		r, err := s.broker.extend(c.Approval, c.More, c.By)
		return r, At("session.extend", err)
	case Configure:
		r, err := s.configure(c)
		return r, At("session.configure", err)
	case Compact:
		r, err := s.compact()
		return r, At("session.compact", err)
	case Attach:
		r, err := s.attach(ctx, c)
		return r, At("session.attach", err)
	case Detach:
		r, err := s.detach(ctx, c)
		return r, At("session.detach", err)
	case Rename:
		r, err := s.rename(c)
		return r, At("session.rename", err)
	case Device:
		r, err := s.device(c)
		return r, At("session.device", err)
	}
	return Receipt{}, Errorf(InvalidCommand, "this session knows no command %T", c)
}

func (s *Session) rename(c Rename) (Receipt, error) {
	title := Label(c.Title, maxTitle)
	if title == "" {
		return Receipt{}, Errorf(InvalidCommand, "a title needs at least one letter")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Receipt{}, SessionClosedCode
	}
	events, err := s.log.append(entry{payload: SessionRenamed{Title: s.redact.Text(title), By: c.By}})
	if err != nil {
		return Receipt{}, err
	}
	return Receipt{Seq: events[0].Seq}, nil
}

// device tells of a device at the mirror.
func (s *Session) device(c Device) (Receipt, error) {
	switch c.What {
	case "paired", "refused", "promoted", "changed", "revoked":
	default:
		return Receipt{}, Errorf(InvalidCommand, "a device is paired, refused, promoted, changed or revoked, not %q", c.What)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Receipt{}, SessionClosedCode
	}
	events, err := s.log.append(entry{payload: MirrorDevice{Device: Label(c.ID, 64), Name: s.redact.Text(Label(c.Name, maxDevice)),
		Role: Label(c.Role, maxDevice), What: c.What, By: c.By}})
	if err != nil {
		return Receipt{}, err
	}
	return Receipt{Seq: events[0].Seq}, nil
}

// carry runs r to its end. Its terminal event is appended and the session made idle under one
// lock, so that nobody who has seen it is told the session is busy.
func (s *Session) carry(ctx context.Context, r *run, began time.Time) {
	for {
		err := func() (err error) {
			defer r.guard("run", &err)
			return r.loop(ctx)
		}()
		s.mu.Lock()
		if err == nil && s.waiting() { // accepted while the run was about to end
			s.mu.Unlock()
			continue
		}
		s.finish(r, err, began)
		s.stop(nil)
		s.stop, s.active = nil, ""
		s.mu.Unlock()
		return
	}
}

// finish ends everything that is still open, and then the run.
func (s *Session) finish(r *run, err error, began time.Time) {
	var c cancelled
	how := ending{unstarted: Errorf(RunCancelled, "the run ended before this call was started"),
		safe: Errorf(RunCancelled, "the run ended before the tool did"), never: Errorf(OutcomeUnknown, "the run ended while this was under way; check before repeating")}
	var last Payload
	by, stop := Actor{Screen: "policy", Name: "run"}, StopError
	switch {
	case err == nil:
		last = RunCompleted{Turns: r.spent.turns, Usage: r.spent.usage(), DurationMS: s.since(began)}
	case errors.As(err, &c):
		by, stop = c.by, StopCancelled
		last = RunCancelledEvent{Reason: c.reason, By: c.by}
	default:
		code := CodeOf(err)
		last = RunFailed{Code: code, Message: r.redact.Text(MessageOf(err)), Retryable: retryable(err), Details: r.redact.details(DetailsOf(err))}
	}
	var open []entry
	s.log.read(func(f *fold) { open = f.closing(r.id, stop, how, by, Instant{s.cfg.Clock.Now()}) })
	open = append(open, entry{r.id, r.started, last})
	if _, err := s.log.append(open...); err != nil && CodeOf(err) == JournalFailed {
		s.unsaved(r, err, open)
	}
}

// unsaved shows the run's end from memory when the journal has just refused it.
func (s *Session) unsaved(r *run, err error, open []entry) {
	var gone bool
	s.log.read(func(f *fold) { gone = f.run == "" })
	if gone {
		return
	}
	open[len(open)-1].payload = RunFailed{Code: JournalFailed, Message: MessageOf(err)}
	_, _ = s.log.append(open...)
}

func (s *Session) since(t time.Time) int64 {
	return max(s.cfg.Clock.Now().Sub(t).Milliseconds(), 0)
}

func (s *Session) cancel(why cancelled) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil {
		return Errorf(NothingRunning, "nothing is running")
	}
	s.stop(why)
	return nil
}

// Retire closes the session unless a run is active (SESSION_BUSY). A message accepted before it is
// part of a run; none is accepted after it.
func (s *Session) Retire() error {
	s.mu.Lock()
	if s.stop != nil {
		s.mu.Unlock()
		return Errorf(SessionBusy, "a run is active; wait for its end or cancel it")
	}
	s.closed = true
	s.mu.Unlock()
	return s.Close()
}

// Close cancels the run, waits for its end, and closes the journal. It may be called again.
func (s *Session) Close() error { s.closer(); return nil }

// Label cleans a title or a file name for the log: one line, no control, direction or invisible
// characters but the joiner that signs are made with, at most n runes.
func Label(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError || r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029:
			return ' '
		case r != 0x200d && unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return cutRunes(strings.Join(strings.Fields(s), " "), n)
}
