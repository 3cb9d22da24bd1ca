// Package words holds every text that people read, in English and Simplified Chinese. Screens,
// commands and exports all take their words from here by key; what models, files and people
// write is never translated.
package words

import "strings"

// Lang is a language of the interface.
type Lang string

// The languages there are.
const (
	English Lang = "en"
	Chinese Lang = "zh"
)

// Languages lists them.
func Languages() []Lang { return []Lang{English, Chinese} }

// From finds the language of a locale's name, as in zh_CN.UTF-8; anything unknown is English.
func From(locale string) Lang {
	if strings.HasPrefix(strings.ToLower(locale), "zh") {
		return Chinese
	}
	return English
}

// Text is the text of a key in a language, with {name} replaced by args, and {name|one|many} by
// the value with the word that goes with it. A part in [brackets] is left out when one of its
// names has no value. An unknown key gives the key itself, so that a
// newer event still shows as something.
func Text(lang Lang, key string, args map[string]string) string {
	row, ok := lookup(key)
	if !ok {
		return key
	}
	t := row.en
	if lang == Chinese {
		t = row.zh
	}
	return fill(t, args)
}

// Has tells whether the catalogue knows the key.
func Has(key string) bool {
	_, ok := lookup(key)
	return ok
}

// row is one text in both languages.
type row struct{ en, zh string }

func fill(t string, args map[string]string) string {
	if !strings.ContainsAny(t, "{[") {
		return t
	}
	var b strings.Builder
	for t != "" {
		open := strings.IndexAny(t, "{[")
		if open < 0 {
			b.WriteString(t)
			break
		}
		b.WriteString(t[:open])
		shut := map[byte]string{'{': "}", '[': "]"}[t[open]]
		inner, rest, ok := strings.Cut(t[open+1:], shut)
		if !ok {
			b.WriteString(t[open:])
			break
		}
		if t[open] == '{' {
			b.WriteString(counted(inner, args))
		} else if complete(inner, args) {
			b.WriteString(fill(inner, args))
		}
		t = rest
	}
	return b.String()
}

// counted is a value, with the word for one or for many behind it if there are such words.
func counted(inner string, args map[string]string) string {
	name, forms, ok := strings.Cut(inner, "|")
	if !ok {
		return args[name]
	}
	one, many, _ := strings.Cut(forms, "|")
	if args[name] == "1" {
		return "1 " + one
	}
	return args[name] + " " + many
}

// complete tells whether every name in t has a value.
func complete(t string, args map[string]string) bool {
	for {
		_, rest, ok := strings.Cut(t, "{")
		if !ok {
			return true
		}
		name, after, _ := strings.Cut(rest, "}")
		name, _, _ = strings.Cut(name, "|")
		if args[name] == "" {
			return false
		}
		t = after
	}
}

// Caption says in a few words what an event is: the text of "event." and its kind, in which words
// that the program chose itself are translated too. An event of an unknown kind is named by its kind.
func Caption(lang Lang, kind string, args map[string]string) string {
	key := "event." + kind
	if !Has(key) {
		return kind
	}
	own := make(map[string]string, len(args))
	for name, value := range args {
		switch name {
		case "status", "verdict", "which", "what", "cut":
			value = known(lang, "word.", value)
		case "why":
			value = known(lang, "why.", value)
		case "delivery":
			if value == "prompt" {
				continue
			}
			value = known(lang, "word.", value)
		case "by":
			value = Who(lang, value)
		}
		own[name] = value
	}
	if args["verdict"] == "allow" {
		delete(own, "verdict") // the rule; only what is not allowed is worth words
	}
	return Text(lang, key, own)
}

// Who is the name of who did something; the program's own names are translated.
func Who(lang Lang, name string) string { return known(lang, "who.", name) }

// known is the text of prefix and value, if there is one, else value.
func known(lang Lang, prefix, value string) string {
	if value == "" || !Has(prefix+value) {
		return value
	}
	return Text(lang, prefix+value, nil)
}
