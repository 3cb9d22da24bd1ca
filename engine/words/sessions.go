package words

// sessionsText is what the list of saved sessions says.
func sessionsText(key string) (row, bool) {
	switch key {
	case "key.sessions":
		return row{"sessions", "会话"}, true
	case "help.sessions":
		return row{"Open, rename or delete a saved session, or begin a new one", "打开、重命名或删除已保存的会话，或新建会话"}, true
	case "saved.title":
		return row{"Sessions", "会话"}, true
	case "saved.none":
		return row{"Sessions are not kept: the studio was started with --no-save", "未保存会话：启动时使用了 --no-save"}, true
	case "saved.reading":
		return row{"reading the sessions…", "正在读取会话…"}, true
	case "saved.empty":
		return row{"no session has been saved yet", "尚未保存任何会话"}, true
	case "saved.notFound":
		return row{"no title has these words", "没有匹配的标题"}, true
	case "saved.keys":
		return row{"Enter open · F2 rename · ^X delete · ^A new · type to find · Esc closes", "Enter 打开 · F2 重命名 · ^X 删除 · ^A 新建 · 输入以查找 · Esc 关闭"}, true
	case "saved.opening":
		return row{"opening…", "正在打开…"}, true
	case "saved.busy":
		return row{"a run is active; wait for its end or cancel it before you open another session", "正在运行，请等待结束或取消后再打开其他会话"}, true
	case "saved.shownStays":
		return row{"this session is shown now; open another one before you delete it", "此会话正在显示，请先打开其他会话再删除"}, true
	case "saved.deleteAsk":
		return row{"y deletes {title} for good, any other key keeps it", "按 y 永久删除 {title}，其他键保留"}, true
	case "saved.kept":
		return row{"kept", "已保留"}, true
	case "saved.deleted":
		return row{"deleted", "已删除"}, true
	case "saved.renamed":
		return row{"renamed", "已重命名"}, true
	case "saved.newTitle":
		return row{"New title:", "新标题："}, true
	case "saved.events":
		return row{"{events|event|events}", "{events} 个事件"}, true
	case "saved.shown":
		return row{"shown now", "正在显示"}, true
	case "saved.ok":
		return row{"complete", "完整"}, true
	case "saved.running":
		return row{"running", "运行中"}, true
	case "saved.interrupted":
		return row{"interrupted", "曾中断"}, true
	case "saved.locked":
		return row{"in use", "使用中"}, true
	case "saved.damaged":
		return row{"damaged", "已损坏"}, true
	case "saved.newer":
		return row{"newer format", "格式较新"}, true
	case "age.now":
		return row{"just now", "刚刚"}, true
	case "age.minutes":
		return row{"{n} min ago", "{n} 分钟前"}, true
	case "age.hours":
		return row{"{n} h ago", "{n} 小时前"}, true
	case "age.days":
		return row{"{n|day|days} ago", "{n} 天前"}, true
	}
	return row{}, false
}
