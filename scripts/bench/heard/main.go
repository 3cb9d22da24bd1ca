// Command heard is the least that reads an answer over HTTP: the same client and decoder as the
// studio's, and nothing is done with what comes. At its end it tells how much memory it had at most.
//
//	heard API BASE-URL
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
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: heard API BASE-URL")
		os.Exit(2)
	}
	if err := hear(os.Args[1], os.Args[2]); err != nil {
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

func hear(api, address string) error {
	makes := map[string]func(engine.Connection, provider.Options) (engine.Model, error){
		engine.APIChat: provider.NewChat, engine.APIResponses: provider.NewResponses, engine.APIAnthropic: provider.NewAnthropic}[api]
	if makes == nil {
		return fmt.Errorf("there is no API %s", api)
	}
	m, err := makes(engine.Connection{Provider: engine.ProviderOther, API: api, BaseURL: address, Model: "bench"},
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
