package engine

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

const redacted = "[redacted]"

// Redactor takes secrets out of values before they reach the log or the model. It may be shared by
// goroutines.
type Redactor struct {
	keys atomic.Pointer[[]string] // the session's own, replaced as a whole
}

// NewRedactor also knows the session's own keys, of at least eight bytes each.
func NewRedactor(own ...string) *Redactor {
	r := &Redactor{}
	r.Know(own...)
	return r
}

// Know adds keys of the session's own, as when another model is chosen; those from before stay known.
func (r *Redactor) Know(own ...string) {
	all := slices.Clone(r.own())
	for _, k := range own {
		if len(k) >= 8 && !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	r.keys.Store(&all)
}

func (r *Redactor) own() []string {
	if keys := r.keys.Load(); keys != nil {
		return *keys
	}
	return nil
}

// keyPattern matches the spellings of well-known keys. A key begins where a word begins. It is
// compiled when a text first looks as if it held one.
var keyPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(keySpellings) })

const keySpellings = `\b(?:` +
	`sk-[A-Za-z0-9_-]{16,}` + // OpenAI, Anthropic, OpenRouter, DeepSeek
	`|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}` +
	`|xox[abeoprs]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16}|ASIA[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}` +
	`|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|[rs]k_live_[A-Za-z0-9]{16,}` +
	`|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,})` +
	`|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`

// keyStarts are what a key may begin with, to know which tail of a stream to hold back.
var keyStarts = []string{"sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "AKIA", "ASIA",
	"AIza", "hf_", "npm_", "pypi-", "rk_live_", "sk_live_", "eyJ", "-----BEGIN "}

// Text replaces every known key in s.
func (r *Redactor) Text(s string) string {
	for _, k := range r.own() {
		s = strings.ReplaceAll(s, k, redacted)
	}
	if !mayHoldKey(s) {
		return s
	}
	return keyPattern().ReplaceAllString(s, redacted)
}

// mayHoldKey is a quick test that spares nearly every text the pattern.
func mayHoldKey(s string) bool {
	for _, k := range keyStarts {
		if strings.Contains(s, k) {
			return true
		}
	}
	return false
}

// JSON redacts every string of a JSON value and every value whose key is a secret's name, at any
// depth. It gives back the same bytes where nothing had to go.
func (r *Redactor) JSON(raw json.RawMessage) (json.RawMessage, bool) {
	if len(raw) == 0 {
		return raw, false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := readRaw(d)
	if err != nil {
		return json.RawMessage(`"` + redacted + `"`), true // never let through what was not understood
	}
	v, changed := r.value(v)
	if !changed {
		return raw, false
	}
	return appendRaw(nil, v), true
}

func (r *Redactor) value(v any) (any, bool) {
	changed := false
	switch v := v.(type) {
	case string:
		t := r.Text(v)
		return t, t != v
	case []any:
		for i := range v {
			e, c := r.value(v[i])
			v[i], changed = e, changed || c
		}
	case object:
		for i, m := range v {
			if s, ok := m.value.(string); secretName(m.key) && m.value != nil && !(ok && s == redacted) {
				v[i].value, changed = redacted, true
				continue
			}
			e, c := r.value(m.value)
			k := r.Text(m.key)
			changed = changed || c || k != m.key
			v[i] = member{k, e}
		}
	}
	return v, changed
}

// secretNames are compared without case, - and _, with the whole name or with its last words.
var secretNames = []string{"apikey", "authorization", "token", "secret", "password", "passwd", "credential", "credentials", "cookie", "privatekey"}

func secretName(key string) bool {
	words := splitWords(key)
	for n := 1; n <= min(2, len(words)); n++ {
		last := strings.Join(words[len(words)-n:], "")
		for _, s := range secretNames {
			if last == s {
				return true
			}
		}
	}
	whole := strings.Join(words, "")
	for _, s := range secretNames {
		if whole == s {
			return true
		}
	}
	return false
}

// splitWords takes apart camelCase, snake_case and kebab-case, in lower case.
func splitWords(key string) (words []string) {
	start := 0
	cut := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(key[start:end]))
		}
		start = end
	}
	for i := 0; i < len(key); i++ {
		c := key[i]
		switch {
		case c == '-' || c == '_' || c == ' ' || c == '.':
			cut(i)
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > 0 && key[i-1] >= 'a' && key[i-1] <= 'z':
			cut(i)
		}
	}
	cut(len(key))
	return words
}

const maxHeld = 8 << 10 // a private key's block is held back up to here

// redactStream redacts text that comes in pieces, holding back a tail that could begin a key.
type redactStream struct {
	r    *Redactor
	tail string
}

// push gives what can be shown of the text so far.
func (s *redactStream) push(piece string) string {
	s.tail += piece
	keep := s.held()
	if keep == len(s.tail) {
		return ""
	}
	out := s.r.Text(s.tail[:len(s.tail)-keep])
	s.tail = s.tail[len(s.tail)-keep:]
	return out
}

// flush gives the rest; the stream is empty afterwards.
func (s *redactStream) flush() string {
	out := strings.ToValidUTF8(s.r.Text(s.tail), "\uFFFD")
	s.tail = ""
	return out
}

// held is how many bytes at the end must wait: an open private key, a last word that could be or
// become a key, the session's own key begun, or a rune cut in two.
func (s *redactStream) held() int {
	t := s.tail
	if i := strings.Index(t, pemBegin); i >= 0 && len(t)-i < maxHeld && openPEM(t[i+len(pemBegin):]) {
		return len(t) - i
	}
	held := cutRune(t)
	start := strings.LastIndexFunc(t, func(c rune) bool { return !keyRune(c) }) + 1
	for start < len(t) && !utf8.RuneStart(t[start]) {
		start++
	}
	if word := t[start:]; len(word) < maxHeld && couldBeKey(word) {
		held = max(held, len(word))
	}
	for _, k := range s.r.own() {
		for n := min(len(k)-1, len(t)); n > held; n-- {
			if strings.HasSuffix(t, k[:n]) {
				held = n
			}
		}
	}
	return held
}

const pemBegin, pemDashes, pemKey = "-----BEGIN ", "-----", "PRIVATE KEY-----"

// openPEM tells whether what follows -----BEGIN can still become a private key's block.
func openPEM(t string) bool {
	head, body, ok := strings.Cut(t, pemDashes)
	if !ok {
		return len(t) < 80
	}
	if !strings.HasSuffix(head, strings.TrimSuffix(pemKey, pemDashes)) {
		return false // a certificate, say
	}
	_, end, ok := strings.Cut(body, "-----END ")
	return !ok || !strings.Contains(end, pemKey)
}

func keyRune(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}

func couldBeKey(word string) bool {
	for i := 0; i < len(word); i++ {
		if i > 0 && (word[i-1] != '-' && word[i-1] != '.' || word[i] == '-') {
			continue // keys begin where a word begins
		}
		for _, k := range keyStarts {
			if w := word[i:]; strings.HasPrefix(w, k) || strings.HasPrefix(k, w) {
				return true
			}
		}
	}
	return false
}

// cutRune is how many bytes at the end of t begin a rune that is not whole yet.
func cutRune(t string) int {
	for n := 1; n <= min(3, len(t)); n++ {
		if c := t[len(t)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRuneInString(t[len(t)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// details are an error's details with the texts among them redacted.
func (r *Redactor) details(all map[string]any) map[string]any {
	if all == nil {
		return nil
	}
	out := make(map[string]any, len(all))
	for name, value := range all {
		if text, ok := value.(string); ok {
			value = r.Text(text)
		}
		out[name] = value
	}
	return out
}
