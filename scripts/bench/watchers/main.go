// Command watchers opens sockets and tells when each of a number of patches came to each of them.
// It is the other process of the mirror's bench, for the mirror and its floor alike.
//
//	watchers URL SOCKETS FIRST PATCHES TOKEN[,TOKEN…]
//
// Sockets are shared out among the tokens, in order. // Once every socket is open it prints a line "ready"; at the end, in binary, the time in nanoseconds of
// every patch from the sequence FIRST on, on every socket. A patch that came as part of a later one came with that.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

func main() {
	if len(os.Args) != 6 {
		fmt.Fprintln(os.Stderr, "usage: watchers URL SOCKETS FIRST PATCHES TOKEN")
		os.Exit(2)
	}
	sockets, err := strconv.Atoi(os.Args[2])
	check(err)
	first, err := strconv.Atoi(os.Args[3])
	check(err)
	patches, err := strconv.Atoi(os.Args[4])
	check(err)
	conns := make([]*websocket.Conn, sockets)
	tokens := strings.Split(os.Args[5], ",")
	for i := range conns {
		conns[i], _, err = websocket.DefaultDialer.Dial(os.Args[1], http.Header{"Authorization": {"Bearer " + tokens[i*len(tokens)/sockets]}})
		check(err)
		if os.Args[5] != "" {
			settle(conns[i])
		}
	}
	fmt.Println("ready")
	times := make([][]int64, sockets)
	var wg sync.WaitGroup
	for i, c := range conns {
		wg.Go(func() { times[i] = watch(c, first, patches) })
	}
	wg.Wait()
	out := bufio.NewWriter(os.Stdout)
	for _, t := range times {
		check(binary.Write(out, binary.LittleEndian, t))
	}
	check(out.Flush())
}

// settle reads what a mirror says at first, up to the presence.
func settle(c *websocket.Conn) {
	for {
		_, b, err := c.ReadMessage()
		check(err)
		if bytes.HasPrefix(b, []byte(`{"type":"presence"`)) {
			return
		}
	}
}

// watch notes when each patch comes.
func watch(c *websocket.Conn, first, patches int) []int64 {
	times := make([]int64, 0, patches)
	for len(times) < patches {
		_, b, err := c.ReadMessage()
		check(err)
		if !bytes.HasPrefix(b, []byte(`{"type":"patch"`)) {
			continue
		}
		now := time.Now().UnixNano()
		for n := sequence(b) - first + 1 - len(times); n > 0 && len(times) < patches; n-- {
			times = append(times, now)
		}
	}
	return times
}

// sequence is the number that a patch moves on to.
func sequence(b []byte) (n int) {
	_, rest, _ := bytes.Cut(b, []byte(`,"sequence":`))
	for i := 0; i < len(rest) && rest[i] >= '0' && rest[i] <= '9'; i++ {
		n = 10*n + int(rest[i]-'0')
	}
	return n
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "watchers:", err)
		os.Exit(1)
	}
}
