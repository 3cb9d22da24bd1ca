package main

import (
	"net/http"
	"time"

	"agentstudio/engine"
	"agentstudio/engine/catalogue"
	"agentstudio/engine/provider"
)

// speak makes the model of a connection over the network, by the connection's API, with what the
// catalogue knows of it. wait is how long it may be silent; 0 is as long as is usual.
func speak(c engine.Connection, client *http.Client, wait time.Duration) (engine.Model, error) {
	facts, _ := catalogue.Lookup(c.Origin(), c.Model)
	makes := provider.NewChat
	switch c.API {
	case engine.APIResponses:
		makes = provider.NewResponses
	case engine.APIAnthropic:
		makes = provider.NewAnthropic
	}
	m, err := makes(c, provider.Options{Client: client, UserAgent: "agentstudio/" + version, First: wait, Idle: wait,
		MaxOutput: facts.MaxOutput, ThinkingForm: facts.ThinkingForm()})
	if err != nil {
		return nil, err
	}
	return catalogue.Priced(m, facts), nil
}
