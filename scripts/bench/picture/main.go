//go:build !windows

// Command picture normalises a picture again and again, and prints the milliseconds of each time but
// the first, and at last the most memory the process had, in MiB.
//
//	picture FILE TIMES
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"agentstudio/engine/intake"
)

func main() {
	file, err := os.ReadFile(os.Args[1])
	times, err2 := strconv.Atoi(os.Args[2])
	if err != nil || err2 != nil {
		fail(err, err2)
	}
	for i := range times + 1 {
		start := time.Now()
		_, err := intake.New(intake.DefaultLimits()).Image(context.Background(), intake.Source{Body: bytes.NewReader(file)})
		if err != nil {
			fail(err)
		}
		if i > 0 {
			fmt.Printf("%.1f\n", float64(time.Since(start).Microseconds())/1000)
		}
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		fail(err)
	}
	fmt.Printf("peak %d\n", used.Maxrss>>10)
}

func fail(all ...error) {
	fmt.Fprintln(os.Stderr, "picture:", all)
	os.Exit(1)
}
