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
	b.WriteString(made + "# Keys\n\n`^Y` is Ctrl+Y. F1 shows this list in the studio; the last line of the screen shows the keys that work at the moment. `keys` in\nconfig.yaml changes them by the name in the last column, as in `keys: {approve: ctrl+g}`.\n")
	for _, l := range []struct {
		lang  words.Lang
		title string
		head  string
	}{{words.English, "English", "| key | name | what it does | in config.yaml |"}, {words.Chinese, "中文", "| 按键 | 名称 | 作用 | 配置名 |"}} {
		fmt.Fprintf(&b, "\n## %s\n", l.title)
		section := ""
		for _, k := range tui.Keys(l.lang) {
			if k.Section != section {
				section = k.Section
				fmt.Fprintf(&b, "\n### %s\n\n%s\n| --- | --- | --- | --- |\n", section, l.head)
			}
			id := ""
			if k.ID != "" {
				id = "`" + k.ID + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Keys, cell(k.Name), cell(k.Help), id)
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
