package engine_test

import (
	"context"
	"testing"
	"time"

	"agentstudio/engine"
)

// lockedStore gives a session that somebody else is writing.
type lockedStore struct{ engine.MemStore }

func (s *lockedStore) Open(ctx context.Context, id engine.SessionID) (engine.Journal, error) {
	j, err := s.MemStore.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return j, engine.Errorf(engine.SessionLocked, "process 7 has it")
}

func TestALockedSessionIsFollowedLiveAndTakesNoCommands(t *testing.T) {
	store := &lockedStore{}
	writer := open(t, engine.Config{Store: store}, say("first"), say("second"))
	writer.untilEnd(writer.send("one"))
	clock := newHandClock()
	reader := engine.New(engine.Config{Store: store, NewID: counter(), Clock: clock})
	s, err := reader.Open(t.Context(), writer.s.ID())
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, s.ReadOnly(), engine.SessionLocked)
	_, err = s.Do(t.Context(), engine.Send{Text: "mine", By: tester})
	wantCode(t, err, engine.SessionReadOnly)
	want := writer.untilEnd(writer.send("two"))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	go func() { // let its clock go on until it has seen everything
		for ctx.Err() == nil {
			clock.advance(250 * time.Millisecond)
		}
	}()
	var got []engine.Event
	for batch, err := range s.Follow(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, batch...); len(got) == len(want) {
			break
		}
	}
	for i := range want {
		if got[i].ID != want[i].ID {
			t.Fatalf("event %d is %s, want %s", i+1, got[i].ID, want[i].ID)
		}
	}
	cancel()
	_ = reader.Close()
}
