package main

import (
	"fmt"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/words"
	"agentstudio/tui"
)

// keysPage lists every key of the studio in both languages.
func keysPage() string {
	var b strings.Builder
	b.WriteString(made + "# Keys\n\n`^Y` is Ctrl+Y. F1 shows this list in the studio; the last line of the screen shows the keys that work at the moment.\n")
	for _, l := range []struct {
		lang  words.Lang
		title string
		head  string
	}{{words.English, "English", "| key | name | what it does |"}, {words.Chinese, "中文", "| 按键 | 名称 | 作用 |"}} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n| --- | --- | --- |\n", l.title, l.head)
		for _, k := range tui.Keys(l.lang) {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Keys, cell(k.Name), cell(k.Help))
		}
	}
	return b.String()
}

// errorsPage lists every code.
func errorsPage() string {
	var b strings.Builder
	b.WriteString(made + "# Error codes\n\n" +
		"An error is a code, a message that says what was wrong and what to do, and sometimes details. The same codes stand in events\n" +
		"(`tool.denied`, `tool.failed`, `run.failed`), on standard error, and under `error.code` where a command prints JSON.\n\n" +
		"| code | meaning |\n| --- | --- |\n")
	for _, c := range engine.Codes() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.Code, cell(c.Meaning))
	}
	return b.String()
}
