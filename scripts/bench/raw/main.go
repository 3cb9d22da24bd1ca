// Command raw is the least a streaming screen can do: it writes so many pieces of so many bytes to
// the terminal, one every so long, and nothing else.
//
//	raw TIMES SIZE EVERY
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	times, err := strconv.Atoi(os.Args[1])
	size, serr := strconv.Atoi(os.Args[2])
	every, derr := time.ParseDuration(os.Args[3])
	if err != nil || serr != nil || derr != nil {
		fmt.Fprintln(os.Stderr, "usage: raw TIMES SIZE EVERY")
		os.Exit(2)
	}
	fmt.Print("READY> ")
	var key [1]byte
	if _, err := os.Stdin.Read(key[:]); err != nil {
		os.Exit(1)
	}
	paragraph := strings.Repeat("An agent that is watched explains itself in paragraphs like this one. ", 6) + "\r\n\r\n"
	text := strings.Repeat(paragraph, times*size/len(paragraph)+2)
	for n := range times {
		time.Sleep(every)
		if _, err := os.Stdout.WriteString(text[n*size : (n+1)*size]); err != nil {
			os.Exit(1)
		}
	}
	fmt.Print("\r\nDONE")
	_, _ = os.Stdin.Read(key[:])
}
