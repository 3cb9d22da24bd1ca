package words

// connectText is what the form of the model says.
func connectText(key string) (row, bool) {
	switch key {
	case "key.model":
		return row{"model connection", "模型连接"}, true
	case "help.model":
		return row{"Choose the model, its address and its key, and test them", "选择模型、地址与密钥并测试"}, true
	case "connect.title":
		return row{"Model connection", "模型连接"}, true
	case "connect.line":
		return row{"Model: {name}", "模型：{name}"}, true
	case "connect.changes":
		return row{"Enter changes", "Enter 更改"}, true
	case "connect.about":
		return row{"Which model is spoken to, where, and with which key", "与哪个模型对话、在哪里、用哪个密钥"}, true
	case "connect.keys":
		return row{"Enter uses · ^T tests · ^X forgets · Esc leaves · ↑ ↓ field · ← → choice", "Enter 使用 · ^T 测试 · ^X 清除 · Esc 离开 · ↑ ↓ 项目 · ← → 选择"}, true
	case "connect.reading":
		return row{"reading the connection…", "正在读取连接…"}, true
	case "connect.testing":
		return row{"testing… at most 15 s, Esc stops", "正在测试…最多 15 秒，Esc 停止"}, true
	case "connect.using":
		return row{"checking…", "正在检查…"}, true
	case "connect.forgetting":
		return row{"removing…", "正在清除…"}, true
	case "connect.stopped":
		return row{"Stopped; nothing was changed", "已停止；未作更改"}, true
	case "connect.used":
		return row{"The model is {model} now", "模型现为 {model}"}, true
	case "connect.busy":
		return row{"Not used: the model changes between runs; wait for the end of this one or cancel it", "未使用：模型只能在运行间隙更换，请等待结束或取消运行"}, true
	case "connect.sure":
		return row{"Remove the connection kept on this computer, its key included? y removes, any other key leaves it", "清除本机保存的连接及其密钥？按 y 清除，其他键保留"}, true
	case "connect.forgotten":
		return row{"Nothing is kept on this computer any more", "本机已不再保存任何连接"}, true
	case "connect.keyDropped":
		return row{"The key that was typed was meant for another address and is gone", "输入的密钥属于另一个地址，已清除"}, true
	}
	return connectNames(key)
}

// connectNames are the fields of the form, and values in them.
func connectNames(key string) (row, bool) {
	switch key {
	case "connect.preset":
		return row{"preset", "预设"}, true
	case "connect.provider":
		return row{"provider", "服务商"}, true
	case "connect.api":
		return row{"API", "接口"}, true
	case "connect.baseURL":
		return row{"base URL", "地址"}, true
	case "connect.model":
		return row{"model", "模型"}, true
	case "connect.images":
		return row{"images", "图像"}, true
	case "connect.contextWindow":
		return row{"context window", "上下文窗口"}, true
	case "connect.thinking":
		return row{"thinking", "思考"}, true
	case "connect.key":
		return row{"key", "密钥"}, true
	case "connect.localhost":
		return row{"this machine", "本机地址"}, true
	case "connect.private":
		return row{"private networks", "私有网络"}, true
	case "connect.remember":
		return row{"remember", "记住"}, true
	case "connect.choose":
		return row{"choose one", "请选择"}, true
	case "connect.other":
		return row{"other…", "其他…"}, true
	case "connect.noKey":
		return row{"none", "无"}, true
	case "connect.changed":
		return row{"changed", "已更改"}, true
	case "connect.known":
		return row{"{n} known", "已知 {n} 个"}, true
	case "connect.from.saved":
		return row{"saved", "已保存"}, true
	case "connect.from.default":
		return row{"default", "默认"}, true
	case "connect.from.session":
		return row{"this session", "本会话"}, true
	}
	return connectAbout(key)
}

// connectAbout says what each field is.
func connectAbout(key string) (row, bool) {
	switch key {
	case "connect.about.preset":
		return row{"Fills in the address of a provider; it holds no key", "填入服务商的地址；不含密钥"}, true
	case "connect.about.provider":
		return row{"Who runs the server; other is any server that speaks the API", "服务由谁提供；other 表示任何支持该接口的服务器"}, true
	case "connect.about.api":
		return row{"How the server is spoken to", "与服务器通信的接口"}, true
	case "connect.about.baseURL":
		return row{"Where requests go, with https; your messages and what tools read are sent there", "请求发往的地址（https）；你的消息与工具读到的内容都会发到那里"}, true
	case "connect.about.model":
		return row{"The model's name at that address; typing filters the known ones, ↓ goes to them", "该地址上的模型名称；输入可筛选已知模型，↓ 进入列表"}, true
	case "connect.about.images":
		return row{"Whether the model takes images; automatic goes by what is known of it", "模型是否接受图像；自动则依据已知信息"}, true
	case "connect.about.contextWindow":
		return row{"Tokens that the model takes at once; empty goes by what is known of it", "模型一次可处理的词元数；留空则依据已知信息"}, true
	case "connect.about.thinking":
		return row{"How much the model thinks before it answers; automatic leaves it to the model", "模型回答前思考多少；自动则由模型决定"}, true
	case "connect.about.key":
		return row{"No key is set; type or paste one. A server on this machine may need none", "尚无密钥，请输入或粘贴；本机服务器可能不需要"}, true
	case "connect.about.keyTyped":
		return row{"This key is sent to {origin} and nowhere else", "此密钥只发往 {origin}"}, true
	case "connect.about.keyKept":
		return row{"Empty keeps {hint}, which belongs to {origin}", "留空则沿用 {hint}，它属于 {origin}"}, true
	case "connect.about.keyOther":
		return row{"The key {hint} belongs to {origin} and is not sent to {here}, which needs its own", "密钥 {hint} 属于 {origin}，不会发往 {here}；后者需要自己的密钥"}, true
	case "connect.about.localhost":
		return row{"On lets models be reached on this machine, also by plain http, until the program ends", "开启后可连接本机上的模型（含 http），直到程序结束"}, true
	case "connect.about.private":
		return row{"On lets models be reached in private networks, also by plain http; whatever listens there can be asked", "开启后可连接私有网络中的模型（含 http）；那里的任何服务都可能被访问"}, true
	case "connect.about.remember":
		return row{"Nothing can be kept on this computer", "本机无法保存"}, true
	case "connect.about.remember.keyring":
		return row{"On keeps the connection on this computer, its key in the keyring", "开启则保存在本机，密钥存入系统密钥环"}, true
	case "connect.about.remember.file":
		return row{"On keeps the connection and its key on this computer as plain text, protected by your account only", "开启则连同密钥以明文保存在本机，仅由你的账户保护"}, true
	}
	return connectNotices(key)
}

// connectNotices are what the chat and the header say of calls to the model.
func connectNotices(key string) (row, bool) {
	switch key {
	case "chat.model.retrying":
		return row{"{why}; trying again in {wait} s ({attempt} of {most})", "{why}；{wait} 秒后重试（第 {attempt} 次，共 {most} 次）"}, true
	case "chat.compaction.completed":
		return row{"older messages were summarised: from {before} to {after} tokens", "较早的消息已归纳：从 {before} 减至 {after} 词元"}, true
	case "chat.compaction.failed":
		return row{"older messages could not be summarised: {why}", "较早的消息未能归纳：{why}"}, true
	case "retry.MODEL_UNREACHABLE":
		return row{"the provider can't be reached", "无法连接服务商"}, true
	case "retry.MODEL_RATE_LIMITED":
		return row{"the provider limits the rate", "服务商限制了请求频率"}, true
	case "retry.MODEL_OVERLOADED":
		return row{"the provider is overloaded", "服务商负载过高"}, true
	case "retry.MODEL_SERVER":
		return row{"the provider has a fault", "服务商发生故障"}, true
	case "retry.MODEL_STREAM_CUT":
		return row{"the answer was cut off", "回答中断"}, true
	case "why.threshold":
		return row{"nearly full", "即将占满"}, true
	case "why.overflow":
		return row{"too large for the model", "超出模型上限"}, true
	case "why.manual":
		return row{"asked for", "应要求"}, true
	case "ui.context":
		return row{"context", "上下文"}, true
	case "ui.noCost":
		return row{"cost –", "费用 –"}, true
	}
	return row{}, false
}
