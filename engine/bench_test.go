package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"
)

const benchEvents = 1_000_000

// plainEvent is what the floor appends: the same fields, encoded by encoding/json.
type plainEvent struct {
	ID      string    `json:"eventId"`
	Session string    `json:"sessionId"`
	Seq     uint64    `json:"sequence"`
	At      time.Time `json:"timestamp"`
	Type    string    `json:"type"`
	Run     string    `json:"runId"`
	Cause   uint64    `json:"cause"`
	Payload any       `json:"payload"`
}

func benchConfig() Config {
	n := 0
	return Config{NewID: func(prefix string) string { n++; return fmt.Sprintf("%s_%026d", prefix, n) }}.withDefaults()
}

var small = AssistantDelta{Message: "msg_00000000000000000000000001", Delta: "a few words of text, "}

// BenchmarkAppendFollow appends a million small events while one follower reads them all.
func BenchmarkAppendFollow(b *testing.B) {
	for b.Loop() {
		j, _ := (&MemStore{}).Create(context.Background(), "ses_1")
		l := newLog("ses_1", j, benchConfig())
		var group sync.WaitGroup
		group.Go(func() {
			seen := 0
			for batch, err := range l.follow(context.Background(), 0) {
				if err != nil {
					b.Error(err)
					return
				}
				if seen += len(batch); seen == benchEvents {
					return
				}
			}
		})
		for range benchEvents {
			if _, err := l.append(entry{"run_1", 1, small}); err != nil {
				b.Fatal(err)
			}
		}
		group.Wait()
	}
}

// BenchmarkAppendFollowFloor appends to a slice under a mutex and encodes each event once.
func BenchmarkAppendFollowFloor(b *testing.B) {
	for b.Loop() {
		var mu sync.Mutex
		var all []plainEvent
		bytes := 0
		for i := range benchEvents {
			e := plainEvent{fmt.Sprintf("evt_%026d", i), "ses_1", uint64(i + 1), time.Now(), "assistant.delta", "run_1", 1, small}
			mu.Lock()
			all = append(all, e)
			mu.Unlock()
			j, err := json.Marshal(e)
			if err != nil {
				b.Fatal(err)
			}
			bytes += len(j)
		}
		if bytes == 0 || len(all) != benchEvents {
			b.Fatal("the floor did nothing")
		}
	}
}
