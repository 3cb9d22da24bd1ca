//go:build !windows

package main

import (
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// caster is a bare server of sockets that all get the same.
type caster struct {
	url string
	end func()

	mu  sync.Mutex
	all []chan any
}

func casting() *caster {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail(err)
	}
	c := &caster{url: "ws://" + l.Addr().String()}
	var wg sync.WaitGroup
	up := websocket.Upgrader{}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		ch := make(chan any, fanPatches)
		wg.Add(1)
		defer wg.Done()
		c.mu.Lock()
		c.all = append(c.all, ch)
		c.mu.Unlock()
		for x := range ch {
			if p, ok := x.(*websocket.PreparedMessage); ok {
				err = s.WritePreparedMessage(p)
			} else {
				err = s.WriteMessage(websocket.TextMessage, x.([]byte))
			}
			if err != nil {
				return
			}
		}
	})}
	go func() { _ = srv.Serve(l) }()
	c.end = func() {
		for _, ch := range c.all {
			close(ch)
		}
		wg.Wait()
		_ = srv.Close()
	}
	return c
}

// await waits until so many have come: the last upgrade may still be on its way.
func (c *caster) await(readers int) {
	for n := 0; n < readers; time.Sleep(time.Millisecond) {
		c.mu.Lock()
		n = len(c.all)
		c.mu.Unlock()
	}
}

func (c *caster) send(body []byte, prepared bool) {
	var x any = body
	if prepared {
		var err error
		if x, err = websocket.NewPreparedMessage(websocket.TextMessage, body); err != nil {
			fail(err)
		}
	}
	for _, ch := range c.all {
		ch <- x
	}
}
