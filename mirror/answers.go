package mirror

import (
	"context"
	"sync"

	"agentstudio/engine"
)

// answers are a device's latest results by the client's own id, so that a repeat is answered and
// not done.
type answers struct {
	mu    sync.Mutex
	by    map[string]*answer
	order []string
}

type answer struct {
	done   chan struct{}
	result result
}

const keptAnswers = 64

// once does a command of an id the first time only; a repeat waits for the first one's result.
func (a *answers) once(ctx context.Context, id string, do func() result) result {
	if id == "" {
		return do()
	}
	a.mu.Lock()
	if first := a.by[id]; first != nil {
		a.mu.Unlock()
		select {
		case <-first.done:
			return first.result
		case <-ctx.Done():
			return failure(id, engine.Errorf(engine.RunCancelled, "the connection ended before the answer"))
		}
	}
	if a.by == nil {
		a.by = map[string]*answer{}
	}
	mine := &answer{done: make(chan struct{})}
	a.by[id] = mine
	if a.order = append(a.order, id); len(a.order) > keptAnswers {
		delete(a.by, a.order[0])
		a.order = a.order[1:]
	}
	a.mu.Unlock()
	defer close(mine.done)
	mine.result = do()
	return mine.result
}

// forget lets a repeat of an id be done again.
func (a *answers) forget(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.by, id)
}
