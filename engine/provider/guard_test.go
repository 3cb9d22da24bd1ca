package provider

import (
	"context"
	"testing"

	"agentstudio/engine"
	"agentstudio/engine/netguard"
)

// What the guard refuses is told as the guard says it.
func TestARefusalOfTheGuardIsTold(t *testing.T) {
	m, err := NewChat(engine.Connection{Provider: engine.ProviderOther, API: engine.APIChat, BaseURL: "http://169.254.169.254/v1", Model: "m"},
		Options{Client: netguard.Client(netguard.Policy{Localhost: true, Private: true}, netguard.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range m.Stream(context.Background(), engine.Request{Messages: []engine.Message{{Role: engine.RoleUser, Text: "hi"}}}) {
		if code := engine.CodeOf(err); code != engine.AddressRefused {
			t.Errorf("%s: %v", code, err)
		}
		return
	}
	t.Error("nothing came")
}
