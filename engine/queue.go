package engine

// How a message comes into the transcript.
const (
	prompt   = "prompt"   // it begins a run
	followUp = "followUp" // when the run would stop
	steer    = "steer"    // after the tool calls under way
)

// waiting tells whether a message is queued. Called with mu held, so that none is accepted meanwhile.
func (s *Session) waiting() (any bool) {
	s.log.read(func(f *fold) { any = len(f.queued) > 0 })
	return any
}

// deliver puts queued messages into the transcript, those that steer or all of them, and tells
// whether there were any. Delivering and withdrawing exclude each other.
func (s *Session) deliver(run RunID, all bool) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entries []entry
	s.log.read(func(f *fold) {
		for _, m := range f.queued {
			if all || m.Delivery == steer {
				entries = append(entries, entry{run, m.seq, UserDelivered{Message: m.Message}})
			}
		}
	})
	if len(entries) == 0 {
		return false, nil
	}
	_, err := s.log.append(entries...)
	return true, err
}

func (s *Session) withdraw(c Withdraw) (Receipt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var at Seq
	s.log.read(func(f *fold) {
		for _, m := range f.queued {
			if m.Message == c.Message {
				at = m.seq
			}
		}
	})
	if at == 0 {
		return Receipt{}, Errorf(NotQueued, "the message has been delivered or withdrawn already")
	}
	events, err := s.log.append(entry{cause: at, payload: UserWithdrawn{Message: c.Message, By: c.By, Reason: "person"}})
	if err != nil {
		return Receipt{}, err
	}
	return Receipt{Seq: events[0].Seq, Message: c.Message}, nil
}
