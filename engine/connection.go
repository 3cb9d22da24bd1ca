package engine

import (
	"net/url"
	"strings"
)

// The APIs that a model is spoken to by.
const (
	APIScripted  = "scripted"
	APIChat      = "openai-chat"
	APIResponses = "openai-responses"
	APIAnthropic = "anthropic-messages"
)

// The providers that are known by name; any other server is ProviderOther.
const (
	ProviderScripted  = "scripted"
	ProviderOpenAI    = "openai"
	ProviderAnthropic = "anthropic"
	ProviderOther     = "other"
)

// ThinkingOff is the Thinking of a connection whose model is not to think.
const ThinkingOff = "off"

// Connection says which model is spoken to, where, and with which key. The key belongs to the
// origin of BaseURL and is sent nowhere else. It is a value; it prints without its key.
type Connection struct {
	Provider      string `json:"provider"`
	API           string `json:"api"`
	BaseURL       string `json:"baseUrl,omitempty"`
	Model         string `json:"modelId"`
	Images        bool   `json:"supportsImages"`
	ContextWindow int    `json:"contextWindow,omitempty"` // tokens; 0 is unknown
	// Thinking is how much the model thinks before it answers: "" as the model does by itself, "off", or
	// one of the model's own levels.
	Thinking string `json:"thinking,omitempty"`
	Key      Secret `json:"key"`
}

// Origin is the scheme, host and port that the key belongs to, as in https://api.openai.com:443;
// "" for an address that is none.
func (c Connection) Origin() string { return OriginOf(c.BaseURL) }

// OriginOf is the scheme, host and port of an address in lower case, with the port written out; ""
// for an address that is none.
func OriginOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" {
		return ""
	}
	return scheme + "://" + host + ":" + port
}
