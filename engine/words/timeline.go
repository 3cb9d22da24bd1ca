package words

// timelineText is what the timeline and the inspector say.
func timelineText(key string) (row, bool) {
	switch key {
	case "ui.rowsAll":
		return row{"all", "全部"}, true
	case "ui.rowsModel":
		return row{"model", "模型"}, true
	case "ui.rowsTools":
		return row{"tools", "工具"}, true
	case "ui.rowsSkills":
		return row{"skills", "技能"}, true
	case "ui.rowsApprovals":
		return row{"approvals", "审批"}, true
	case "ui.rowsOf":
		return row{"{n} of {all}", "{n}/{all} 行"}, true
	case "ui.rowsBad":
		return row{"errors", "仅错误"}, true
	case "ui.rowsWith":
		return row{"“{text}”", "含“{text}”"}, true
	case "ui.rowsFolded":
		return row{"runs folded", "运行已折叠"}, true
	case "ui.noRows":
		return row{"No row is like that", "没有符合条件的行"}, true
	case "ui.eventOf":
		return row{"event {n} of {all}", "第 {n} 个事件，共 {all} 个"}, true
	case "ui.afterCause":
		return row{"{time} after its cause", "起因之后 {time}"}, true
	case "ui.seconds":
		return row{"{s} s", "{s} 秒"}, true
	case "ui.causedBy":
		return row{"caused by", "起因"}, true
	case "ui.effects":
		return row{"effects", "结果"}, true
	case "ui.noCause":
		return row{"nothing: it came from outside", "无：来自外部"}, true
	case "ui.noEffects":
		return row{"none", "无"}, true
	case "ui.linesOf":
		return row{"{from}–{to} of {all} lines", "第 {from}–{to} 行，共 {all} 行"}, true
	case "ui.inspectorKeys":
		return row{"Esc close · ↑ ↓ Enter go · Backspace back · ← → step · PgDn more · c copy",
			"Esc 关闭 · ↑ ↓ Enter 前往 · Backspace 返回 · ← → 相邻事件 · PgDn 翻页 · c 复制"}, true
	}
	return timelineKeyText(key)
}

func timelineKeyText(key string) (row, bool) {
	switch key {
	case "key.inspect":
		return row{"inspect", "查看"}, true
	case "help.inspect":
		return row{"Timeline: look into the event under the cursor", "时间线：查看光标处的事件"}, true
	case "key.filter":
		return row{"filter", "筛选"}, true
	case "help.filter":
		return row{"Timeline: show only rows that hold a text", "时间线：只显示含有某段文字的行"}, true
	case "key.filterKeep":
		return row{"keep", "保留"}, true
	case "help.filterKeep":
		return row{"Timeline: keep the text that was typed", "时间线：保留输入的文字"}, true
	case "key.filterDrop":
		return row{"clear", "清除"}, true
	case "help.filterDrop":
		return row{"Timeline: clear the text that was typed", "时间线：清除输入的文字"}, true
	case "key.unfilter":
		return row{"show all", "显示全部"}, true
	case "help.unfilter":
		return row{"Timeline: show every row again", "时间线：重新显示所有行"}, true
	case "key.errors":
		return row{"errors", "错误"}, true
	case "help.errors":
		return row{"Timeline: show only what went wrong, and all again", "时间线：只显示出错的行，再按恢复"}, true
	case "key.fold":
		return row{"fold", "折叠"}, true
	case "help.fold":
		return row{"Timeline: one row for each finished run, and all again", "时间线：每次已结束的运行收为一行，再按展开"}, true
	case "key.rowsAll":
		return row{"all", "全部"}, true
	case "help.rowsAll":
		return row{"Timeline: rows of every kind", "时间线：所有种类的行"}, true
	case "key.rowsModel":
		return row{"model", "模型"}, true
	case "help.rowsModel":
		return row{"Timeline: only the model's turns and answers", "时间线：只看模型的轮次与回答"}, true
	case "key.rowsTools":
		return row{"tools", "工具"}, true
	case "help.rowsTools":
		return row{"Timeline: only tool calls and what they saved", "时间线：只看工具调用及其保存的文件"}, true
	case "key.rowsSkills":
		return row{"skills", "技能"}, true
	case "help.rowsSkills":
		return row{"Timeline: only skills", "时间线：只看技能"}, true
	case "key.rowsApprovals":
		return row{"approvals", "审批"}, true
	case "help.rowsApprovals":
		return row{"Timeline: only approvals", "时间线：只看审批"}, true
	}
	return row{}, false
}
