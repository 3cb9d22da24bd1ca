package provider

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/safe"
)

const (
	maxSaid     = 200 // runes of an upstream's text that are shown
	redacted    = "[redacted]"
	leastKey    = 4 // shorter ones are no secrets but placeholders
	keyFragment = 6 // bytes of the key that a word must not share with it
)

// upstream makes what a server says fit to be shown: without the key or anything like one, cleaned,
// on one line, short. It is immutable.
type upstream struct {
	key    engine.Secret
	redact *engine.Redactor
}

func newUpstream(key engine.Secret) upstream {
	k := key.Reveal()
	quoted, _ := json.Marshal(k) // a string always encodes
	return upstream{key: key, redact: engine.NewRedactor(k, url.QueryEscape(k), strings.Trim(string(quoted), `"`),
		base64.StdEncoding.EncodeToString([]byte(k)), base64.RawURLEncoding.EncodeToString([]byte(k)))}
}

// said is s for people.
func (u upstream) said(s string) string {
	s = u.redact.Text(s)
	s = strings.Join(strings.Fields(s), " ")
	s = string(safe.Text(s, safe.Inline))
	words := strings.Split(s, " ")
	for i, w := range words {
		if u.keylike(w) {
			words[i] = redacted
		}
	}
	s = strings.Join(words, " ")
	if r := []rune(s); len(r) > maxSaid {
		s = string(r[:maxSaid-1]) + "…"
	}
	return s
}

// keylike tells whether a word is a key, whole, in part or half hidden behind stars, as servers
// repeat it in "Incorrect API key provided: sk-ab***yz".
func (u upstream) keylike(word string) bool {
	if strings.Contains(word, "***") || strings.Contains(word, "sk-") && len(word) > len("sk-")+keyFragment {
		return true
	}
	key := u.key.Reveal()
	if len(key) < leastKey {
		return false
	}
	if len(key) <= keyFragment {
		return strings.Contains(word, key)
	}
	for i := 0; i+keyFragment <= len(word); i++ {
		if strings.Contains(key, word[i:i+keyFragment]) {
			return true
		}
	}
	return false
}

// code is a provider's own code if it is harmless: short and spelled like a name.
func (u upstream) code(s string) string {
	const most = 64
	if s == "" || len(s) > most || u.keylike(s) || u.redact.Text(s) != s {
		return ""
	}
	for _, c := range []byte(s) {
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
		if !plain {
			return ""
		}
	}
	return s
}

// untagged is the text of an HTML page, without what no reader sees.
func untagged(page string) string {
	for _, hidden := range []string{"script", "style"} {
		for {
			lower := strings.ToLower(page)
			from := strings.Index(lower, "<"+hidden)
			if from < 0 || len(lower) != len(page) {
				break
			}
			to := strings.Index(lower[from:], "</"+hidden)
			if to < 0 {
				page = page[:from]
				break
			}
			page = page[:from] + page[from+to:]
		}
	}
	var b strings.Builder
	in := false
	for _, c := range page {
		switch {
		case c == '<':
			in = true
			b.WriteByte(' ')
		case c == '>' && in:
			in = false
		case !in:
			b.WriteRune(c)
		}
	}
	return b.String()
}
