package words

import (
	"fmt"
	"strings"
)

// Fault says what an error is in lang: by its code, with those of its details that the text has a place
// for, and with what a provider said in “”, which is nobody's to translate. In English, and where the
// code has no text, it is message as it is. It may be called from any goroutine.
func Fault(lang Lang, code, message string, details map[string]any) string {
	key := "code." + code
	if lang == English || !Has(key) {
		return message
	}
	args := make(map[string]string, len(details))
	for name, value := range details {
		switch value.(type) {
		case string, int, int64:
			args[name] = fmt.Sprint(value)
		}
	}
	text := Text(lang, key, args)
	if _, said, ok := strings.Cut(message, "“"); ok && !strings.Contains(text, "“") {
		if said, _, ok = strings.Cut(said, "”"); ok && said != "" {
			text += "：“" + said + "”"
		}
	}
	return text
}
