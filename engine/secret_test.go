package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// However a key is printed, alone or within something, it does not show.
func TestSecretsDoNotShow(t *testing.T) {
	const key = "sk-planted-0123456789abcdef"
	c := Connection{Provider: ProviderOther, API: APIChat, BaseURL: "https://models.example/v1", Model: "m", Key: NewSecret(" " + key + "\n")}
	hidden := struct{ inner struct{ c Connection } }{}
	hidden.inner.c = c
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		fmt.Fprintf(&out, verb+"\n", c.Key)
		fmt.Fprintf(&out, verb+"\n", &c.Key)
		fmt.Fprintf(&out, verb+"\n", c)
		fmt.Fprintf(&out, verb+"\n", hidden)
		fmt.Fprintf(&out, verb+"\n", []any{c, &c, map[string]any{"k": c.Key}})
	}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(b)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "key", c.Key, "connection", c)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "key", c.Key, "connection", c)
	if strings.Contains(out.String(), "planted") || strings.Contains(out.String(), fmt.Sprintf("%x", "planted")) {
		t.Errorf("the key shows in\n%s", out.String())
	}
	if !strings.Contains(string(b), `"key":"••••cdef"`) {
		t.Errorf("no hint in %s", b)
	}
	if got := c.Key.Reveal(); got != key {
		t.Errorf("it reveals %q", got)
	}
}

func TestHintsOfShortKeysTellNothing(t *testing.T) {
	for key, want := range map[string]string{"": "", " ": "", "abcd": "••••", "12345678901": "••••", "123456789012": "••••9012"} {
		if got := NewSecret(key).Hint(); got != want {
			t.Errorf("the hint of %q is %q, want %q", key, got, want)
		}
	}
}

func TestOrigins(t *testing.T) {
	for address, want := range map[string]string{
		"https://API.OpenAI.com/v1":    "https://api.openai.com:443",
		"http://localhost:11434/v1":    "http://localhost:11434",
		"http://[::1]/v1":              "http://[::1]:80",
		"https://models.example:8443/": "https://models.example:8443",
		"models.example":               "",
		"ftp://models.example":         "",
		"":                             "",
		"https://":                     "",
	} {
		if got := OriginOf(address); got != want {
			t.Errorf("the origin of %q is %q, want %q", address, got, want)
		}
	}
}
