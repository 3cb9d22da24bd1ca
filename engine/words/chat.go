package words

// chatText is what the chat and the skills pane say.
func chatText(key string) (row, bool) {
	switch key {
	case "key.unfold":
		return row{"unfold", "展开"}, true
	case "help.unfold":
		return row{"Messages: unfold a tool's card, and fold it again", "消息：展开或收起工具卡片"}, true
	case "key.openMessage":
		return row{"open", "打开"}, true
	case "help.openMessage":
		return row{"Messages: show the chosen message over the whole screen", "消息：全屏查看选中的消息"}, true
	case "key.openWhole":
		return row{"open", "打开"}, true
	case "help.openWhole":
		return row{"Messages: a card's whole result, or a message in $PAGER", "消息：卡片的完整结果，或用 $PAGER 打开消息"}, true
	case "key.find":
		return row{"search", "搜索"}, true
	case "help.find":
		return row{"Messages: search the chat", "消息：搜索对话"}, true
	case "key.findNext":
		return row{"next match", "下一处"}, true
	case "help.findNext":
		return row{"While searching: go to the next match", "搜索时：到下一处匹配"}, true
	case "key.findBack":
		return row{"match before", "上一处"}, true
	case "help.findBack":
		return row{"While searching: go to the match before", "搜索时：到上一处匹配"}, true
	case "key.copy":
		return row{"copy", "复制"}, true
	case "help.copy":
		return row{"Messages: copy the chosen message", "消息：复制选中的消息"}, true
	case "key.copyCode":
		return row{"copy code", "复制代码"}, true
	case "help.copyCode":
		return row{"Messages: copy its last code block; again for the one before", "消息：复制其中最后一个代码块；再按复制前一个"}, true
	case "key.openEntry":
		return row{"open", "打开"}, true
	case "help.openEntry":
		return row{"Skills: show the chosen skill, tool or file", "技能：查看选中的技能、工具或文件"}, true
	case "ui.findCount":
		return row{"{at} of {n}", "第 {at} 处，共 {n} 处"}, true
	case "ui.findNone":
		return row{"not found", "未找到"}, true
	case "ui.findKeys":
		return row{"n next · N back · Esc ends", "n 下一处 · N 上一处 · Esc 结束"}, true
	case "ui.findTyping":
		return row{"Enter goes there · Esc ends", "Enter 前往 · Esc 结束"}, true
	case "ui.copied":
		return row{"copied {size}", "已复制 {size}"}, true
	case "ui.copiedHere":
		return row{"copied {size}, to this computer's clipboard only: too much for the terminal's", "已复制 {size}，仅到本机剪贴板：超出终端剪贴板的容量"}, true
	case "ui.copyFailed":
		return row{"not copied: {size} is too much for the terminal's clipboard, and there is no other", "未复制：{size} 超出终端剪贴板的容量，且没有其他剪贴板"}, true
	case "ui.copiedCode":
		return row{"copied code block {at} of {n} · {size}", "已复制第 {at} 个代码块（共 {n} 个）· {size}"}, true
	case "ui.noCode":
		return row{"no code block in this message", "此消息中没有代码块"}, true
	case "ui.noPager":
		return row{"no pager found: set $PAGER", "未找到分页程序：请设置 $PAGER"}, true
	case "ui.pagerFailed":
		return row{"the pager ended with an error", "分页程序出错退出"}, true
	}
	return viewerText(key)
}

// viewerText is what stands around a text shown over the whole screen.
func viewerText(key string) (row, bool) {
	switch key {
	case "ui.viewAt":
		return row{"{from}–{to} of {n|line|lines}", "第 {from}–{to} 行，共 {n} 行"}, true
	case "ui.viewKeys":
		return row{"↑ ↓ scroll · / search · c copy · o pager · Esc closes", "↑ ↓ 滚动 · / 搜索 · c 复制 · o 分页程序 · Esc 关闭"}, true
	case "ui.viewReading":
		return row{"reading…", "读取中…"}, true
	case "ui.viewCut":
		return row{"only the first {size} are shown", "仅显示前 {size}"}, true
	case "ui.viewBinary":
		return row{"not text: nothing to read here · {mime} · {size}", "不是文本，无法在此阅读 · {mime} · {size}"}, true
	case "ui.viewUnread":
		return row{"can't be read: {why}", "无法读取：{why}"}, true
	case "ui.result":
		return row{"RESULT", "结果"}, true
	case "ui.arguments":
		return row{"ARGUMENTS", "参数"}, true
	case "ui.openWhole":
		return row{"o opens the whole", "按 o 查看全部"}, true
	case "ui.messageOf":
		return row{"{who} · {when}", "{who} · {when}"}, true
	}
	return detailText(key)
}

// detailText is what is told of a skill, a tool or a file.
func detailText(key string) (row, bool) {
	switch key {
	case "ui.detailSource":
		return row{"from: {source} · {path}", "来源：{source} · {path}"}, true
	case "ui.detailTokens":
		return row{"costs: about {body} tok when loaded[, {entry} tok in each request while only listed]", "开销：载入约 {body} 词元[，仅列出时每次请求 {entry} 词元]"}, true
	case "ui.detailHidden":
		return row{"listed for people only; the model is not told of it", "仅供人查看，不告知模型"}, true
	case "ui.detailNoFile":
		return row{"It is not offered to the model, so its file is not read here.", "此技能不提供给模型，因此不在此读取文件。"}, true
	case "ui.detailPolicy":
		return row{"policy: {verdict}", "策略：{verdict}"}, true
	case "ui.detailRule":
		return row{"why: {rule} ({source})", "依据：{rule}（{source}）"}, true
	case "ui.detailReplay":
		return row{"the same call again: {replay}", "重复的相同调用：{replay}"}, true
	case "ui.detailNoCalls":
		return row{"not called yet", "尚未调用"}, true
	case "ui.detailCalls":
		return row{"called {n|time|times}:", "共调用 {n} 次："}, true
	case "ui.fileAbout":
		return row{"{name} · {mime} · {size}", "{name} · {mime} · {size}"}, true
	case "source.bundled":
		return row{"bundled", "内置"}, true
	case "source.project":
		return row{"this project", "本项目"}, true
	case "source.user":
		return row{"your own", "用户"}, true
	case "source.extra":
		return row{"a folder added by --skills", "由 --skills 添加的目录"}, true
	case "replay.safe":
		return row{"runs again", "再次执行"}, true
	case "replay.never":
		return row{"is not done twice", "不重复执行"}, true
	}
	return row{}, false
}
