package words

// keyText is the names of keys, and what help says of them.
func keyText(key string) (row, bool) {
	switch key {
	case "place.anywhere":
		return row{"Everywhere", "任何位置"}, true
	case "place.field":
		return row{"In the message field", "输入框"}, true
	case "place.approval":
		return row{"While something is to be approved", "有审批时"}, true
	case "place.chat":
		return row{"With the messages in focus", "焦点在对话消息"}, true
	case "place.skills":
		return row{"With the skills in focus", "焦点在技能窗格"}, true
	case "place.timeline":
		return row{"With the timeline in focus", "焦点在时间线"}, true
	case "key.send":
		return row{"send", "发送"}, true
	case "help.send":
		return row{"Send the message", "发送消息"}, true
	case "key.queue":
		return row{"queue", "排队"}, true
	case "help.queue":
		return row{"While a run is active: deliver the message when the run would stop", "运行中：在运行将要停止时送达消息"}, true
	case "key.steer":
		return row{"steer", "插话"}, true
	case "help.steer":
		return row{"While a run is active: deliver the message after the calls under way", "运行中：当前调用结束后即送达消息"}, true
	case "key.takeBack":
		return row{"take back", "撤回"}, true
	case "help.takeBack":
		return row{"Take the newest waiting message back into the field", "把最新的排队消息撤回输入框"}, true
	case "key.approve":
		return row{"approve", "批准"}, true
	case "help.approve":
		return row{"Approve exactly what the panel shows", "批准面板所示内容"}, true
	case "key.deny":
		return row{"deny", "拒绝"}, true
	case "help.deny":
		return row{"Deny; asks for an optional reason", "拒绝，可填写理由"}, true
	case "key.extend":
		return row{"more time", "延时"}, true
	case "help.extend":
		return row{"Give the approval five more minutes", "审批延长五分钟"}, true
	case "key.why":
		return row{"why asked", "为何询问"}, true
	case "help.why":
		return row{"Show the rule that made it ask", "显示触发询问的规则"}, true
	case "key.pane":
		return row{"next pane", "下一窗格"}, true
	case "help.pane":
		return row{"Go to the next pane", "切换到下一个窗格"}, true
	case "key.paneBack":
		return row{"previous pane", "上一窗格"}, true
	case "help.paneBack":
		return row{"Go to the pane before", "切换到上一个窗格"}, true
	case "key.demo":
		return row{"demo prompt", "演示提示"}, true
	case "help.demo":
		return row{"Fill in the demo prompt; sends nothing", "填入演示提示，不发送"}, true
	case "key.pageUp":
		return row{"page up", "上翻"}, true
	case "help.pageUp":
		return row{"Scroll up; the approval's text while one is open", "上翻；有审批时翻审批内容"}, true
	case "key.pageDown":
		return row{"page down", "下翻"}, true
	case "help.pageDown":
		return row{"Scroll down; the approval's text while one is open", "下翻；有审批时翻审批内容"}, true
	case "key.cancel":
		return row{"cancel", "取消"}, true
	case "help.cancel":
		return row{"Cancel the run; twice within two seconds quits", "取消运行；两秒内按两次退出"}, true
	case "key.quit":
		return row{"quit", "退出"}, true
	case "help.quit":
		return row{"Quit; asks while a run is active", "退出；运行时会先询问"}, true
	case "key.help":
		return row{"help", "帮助"}, true
	case "help.help":
		return row{"Show all keys", "显示所有按键"}, true
	case "key.move":
		return row{"move", "移动"}, true
	case "help.move":
		return row{"Move in the pane that has the focus", "在当前窗格移动"}, true
	case "key.ends":
		return row{"ends", "首尾"}, true
	case "help.ends":
		return row{"Go to the first or last row of a side pane", "到侧窗格的首行或末行"}, true
	case "key.newline":
		return row{"new line", "换行"}, true
	case "help.newline":
		return row{"Begin a new line in the message", "在消息中换行"}, true
	case "key.escape":
		return row{"back", "返回"}, true
	case "help.escape":
		return row{"Close what is on top", "关闭最上层"}, true
	}
	return row{}, false
}

// lookup finds a key. The tables are plain functions of the key, so there is nothing to build at
// start.
func lookup(key string) (row, bool) {
	for _, table := range []func(string) (row, bool){screenText, eventText, keyText, codeText, chatText, timelineText, settingsText, sessionsText, composerText, connectText, plainText, connectionText, pictureText, pageText, mirrorText, lobbyText} {
		if r, ok := table(key); ok {
			return r, true
		}
	}
	return row{}, false
}
