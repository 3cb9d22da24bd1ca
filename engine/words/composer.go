package words

// composerText is what the text field, the commands and the notifications say.
func composerText(key string) (row, bool) {
	switch key {
	case "ui.pasted":
		return row{"(pasted {lines|line|lines}, {size})", "（粘贴 {lines} 行，{size}）"}, true
	case "ui.outsideFailed":
		return row{"The other program did not do it: {why}", "外部程序未能完成：{why}"}, true
	case "ui.notNow":
		return row{"{name} can't be done now", "现在无法执行 {name}"}, true
	case "ui.takes":
		return row{"{name} takes {arg}", "{name} 需要：{arg}"}, true
	case "ui.noCommand":
		return row{"There is no command {name}. A space before it sends it as a message", "没有命令 {name}。前面加空格可作为消息发送"}, true
	case "ui.commands":
		return row{"Commands", "命令"}, true
	case "ui.commandKeys":
		return row{"Enter does it · Esc closes · ↑ ↓ choose · type to find", "Enter 执行 · Esc 关闭 · ↑ ↓ 选择 · 输入以查找"}, true
	case "ui.nothingFound":
		return row{"nothing has these words", "没有匹配项"}, true
	case "arg.theme":
		return row{"dark, light or projector", "dark、light 或 projector"}, true
	case "arg.lang":
		return row{"en or zh", "en 或 zh"}, true
	case "arg.title":
		return row{"a title", "标题"}, true
	case "ui.underneath":
		return row{"{tool} waits for your decision, {time} left · Esc shows it", "{tool} 等待你的决定，剩余 {time} · Esc 显示"}, true
	case "ui.asks":
		return row{"{tool} waits for your decision", "{tool} 等待你的决定"}, true
	case "ui.interrupted":
		return row{"a question has just opened: press the key again to send", "刚刚出现审批：再按一次以发送"}, true
	case "ui.pressAgain":
		return row{"press once more to {what}", "再按一次以{what}"}, true
	}
	return commandKeys(key)
}

// commandKeys are the names of commands and of the text field's own keys.
func commandKeys(key string) (row, bool) {
	switch key {
	case "key.editor":
		return row{"own editor", "外部编辑器"}, true
	case "help.editor":
		return row{"Write the message in $VISUAL or $EDITOR", "用 $VISUAL 或 $EDITOR 编写消息"}, true
	case "key.commands":
		return row{"commands", "命令"}, true
	case "help.commands":
		return row{"Find any command by its words", "按名称查找任意命令"}, true
	case "key.theme":
		return row{"theme", "主题"}, true
	case "help.theme":
		return row{"Change the colours for now", "临时更换配色"}, true
	case "key.lang":
		return row{"language", "语言"}, true
	case "help.lang":
		return row{"Change the language for now", "临时更换界面语言"}, true
	case "key.rename":
		return row{"rename", "重命名"}, true
	case "help.rename":
		return row{"Give this session another title", "修改此会话的标题"}, true
	case "key.compact":
		return row{"summarise", "总结"}, true
	case "help.compact":
		return row{"Have the model summarise the older messages now", "让模型立即总结较早的消息"}, true
	case "key.new":
		return row{"new session", "新会话"}, true
	case "help.new":
		return row{"Begin a new session", "开始新会话"}, true
	case "key.history":
		return row{"said before", "历史"}, true
	case "help.history":
		return row{"In an empty field: what was said before", "输入框为空时：之前发送过的内容"}, true
	case "key.complete":
		return row{"complete", "补全"}, true
	case "help.complete":
		return row{"Complete a /command or an @path of the workspace", "补全 /命令 或工作区 @路径"}, true
	}
	return row{}, false
}
