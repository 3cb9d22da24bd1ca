package engine

import (
	"context"
	"errors"
	"time"
)

const lookEvery = 250 * time.Millisecond

// watch follows a journal that another process writes, until the session is closed.
func (s *Session) watch() {
	for {
		tick := make(chan struct{})
		stop := s.cfg.Clock.AfterFunc(lookEvery, func() { close(tick) })
		select {
		case <-s.ended:
			stop()
			return
		case <-tick:
		}
		if err := s.catchUp(); err != nil {
			s.cfg.Fault("watch", err, nil) // the next look may do better
		}
	}
}

// catchUp takes in what has been written since the last look.
func (s *Session) catchUp() error {
	var last Seq
	s.log.read(func(*fold) { last = s.log.last })
	for e, err := range s.log.journal.Replay(context.Background(), last) {
		if err != nil {
			return err
		}
		s.log.restore(e)
	}
	return nil
}

// live tells whether a session that is read-only may still grow.
func live(only error) bool { return errors.Is(only, SessionLocked) }
