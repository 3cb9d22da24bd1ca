// Command heard is the least that reads an answer over HTTP: the same client and decoder as the
// studio's, and nothing is done with what
// comes. At its end it tells how much memory it had at most.
//
//	heard BASE-URL
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/netguard"
	"agentstudio/engine/provider"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: heard BASE-URL")
		os.Exit(2)
	}
	if err := hear(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "heard:", err)
		os.Exit(1)
	}
	status, _ := os.ReadFile("/proc/self/status") // elsewhere than on Linux nothing is told
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "VmHWM:") {
			fmt.Print(line)
		}
	}
}

func hear(address string) error {
	m, err := provider.NewChat(engine.Connection{Provider: engine.ProviderOther, API: engine.APIChat, BaseURL: address, Model: "bench"},
		provider.Options{Client: netguard.Client(netguard.Policy{Localhost: true}, netguard.Options{})})
	if err != nil {
		return err
	}
	for _, err := range m.Stream(context.Background(), engine.Request{Turn: 1, Attempt: 1, Messages: []engine.Message{{Role: engine.RoleUser, Text: "go"}}}) {
		if err != nil {
			return err
		}
	}
	return nil
}
