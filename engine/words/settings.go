package words

// settingsText is what the settings say.
func settingsText(key string) (row, bool) {
	switch key {
	case "key.settings":
		return row{"settings", "设置"}, true
	case "help.settings":
		return row{"Change language, look, limits and policies, and keep them", "修改并保存语言、外观、限额与策略"}, true
	case "setting.title":
		return row{"Settings", "设置"}, true
	case "setting.reading":
		return row{"reading the settings…", "正在读取设置…"}, true
	case "setting.look":
		return row{"LOOK", "外观"}, true
	case "setting.limits":
		return row{"LIMITS OF A RUN", "运行限额"}, true
	case "setting.policies":
		return row{"TOOL POLICIES", "工具策略"}, true
	case "setting.keys":
		return row{"Enter saves · Esc leaves without saving · ↑ ↓ field · ← → choice", "Enter 保存 · Esc 放弃 · ↑ ↓ 选择项目 · ← → 更改"}, true
	case "setting.closes":
		return row{"Esc closes", "Esc 关闭"}, true
	case "setting.saving":
		return row{"saving…", "正在保存…"}, true
	case "setting.saved":
		return row{"Settings saved", "设置已保存"}, true
	case "setting.later":
		return row{"Settings saved. What is looser than before may count only from the next start", "设置已保存。放宽的部分可能要到下次启动后才生效"}, true
	case "setting.notSaved":
		return row{"Not saved: {why}", "未保存：{why}"}, true
	case "setting.busy":
		return row{"Not saved: limits and policies change between runs; wait for the end of this one or cancel it", "未保存：限额与策略只能在运行间隙更改，请等待结束或取消运行"}, true
	case "setting.default":
		return row{"default", "默认"}, true
	case "setting.byFlag":
		return row{"{flag} decides", "由 {flag} 决定"}, true
	case "setting.fixed":
		return row{"{by} decides this now; start without it to change it here", "现由 {by} 决定；不带它启动后才能在此更改"}, true
	case "setting.changed":
		return row{"not saved yet; was {was}", "尚未保存；原为 {was}"}, true
	case "setting.wrongNumber":
		return row{"a whole number from 1 to {most}", "须为 1 到 {most} 的整数"}, true
	case "setting.wrongMoney":
		return row{"US dollars above zero, as 0.50", "须为大于零的美元数，如 0.50"}, true
	case "setting.wrongTime":
		return row{"a time as 90s or 5m, at most {most}", "须为时长，如 90s 或 5m，最长 {most}"}, true
	}
	return settingNames(key)
}

// settingNames are the settings, and what each is about.
func settingNames(key string) (row, bool) {
	switch key {
	case "setting.language":
		return row{"language", "语言"}, true
	case "setting.about.language":
		return row{"Automatic goes by LC_ALL, LC_MESSAGES and LANG", "自动：依据 LC_ALL、LC_MESSAGES 与 LANG"}, true
	case "setting.theme":
		return row{"theme", "主题"}, true
	case "setting.about.theme":
		return row{"Automatic goes by the terminal's background; projector is for large rooms", "自动：依据终端背景；投影适合大教室"}, true
	case "setting.ascii":
		return row{"ASCII only", "仅用 ASCII"}, true
	case "setting.about.ascii":
		return row{"Draws with plain characters, for terminals that lack the others", "只用普通字符绘制，适合缺少字形的终端"}, true
	case "setting.notifications":
		return row{"notifications", "通知"}, true
	case "setting.about.notifications":
		return row{"Bell and desktop notification when somebody must decide", "需要有人决定时响铃并发送桌面通知"}, true
	case "setting.approvalExpiry":
		return row{"approvals wait", "审批等待"}, true
	case "setting.about.approvalExpiry":
		return row{"How long a question waits for a person; then nothing is done", "等待有人决定的时长；到时则不执行"}, true
	case "setting.budget.maxTurns":
		return row{"turns", "轮数"}, true
	case "setting.about.budget.maxTurns":
		return row{"Model calls that a run may make", "一次运行可调用模型的次数"}, true
	case "setting.budget.maxTokens":
		return row{"tokens", "词元"}, true
	case "setting.about.budget.maxTokens":
		return row{"Tokens in and out that a run may use", "一次运行可用的输入与输出词元"}, true
	case "setting.budget.maxCostUsd":
		return row{"cost in US$", "费用（美元）"}, true
	case "setting.about.budget.maxCostUsd":
		return row{"Most that a run may cost; empty for no limit", "一次运行的最高费用；留空则不限"}, true
	case "setting.budget.deadline":
		return row{"time", "时间"}, true
	case "setting.about.budget.deadline":
		return row{"Time that a run may take, without waiting for people", "一次运行可用的时间，不含等待决定"}, true
	case "setting.about.policy":
		return row{"What happens when the agent calls this tool; it can only be tightened", "智能体调用此工具时如何处理；只能收紧"}, true
	}
	return choiceNames(key)
}

// choiceNames are the values that are chosen from a list.
func choiceNames(key string) (row, bool) {
	switch key {
	case "choice.auto":
		return row{"automatic", "自动"}, true
	case "choice.en":
		return row{"English", "英语"}, true
	case "choice.zh":
		return row{"Chinese", "中文"}, true
	case "choice.dark":
		return row{"dark", "深色"}, true
	case "choice.light":
		return row{"light", "浅色"}, true
	case "choice.projector":
		return row{"projector", "投影"}, true
	case "choice.true":
		return row{"on", "开"}, true
	case "choice.false":
		return row{"off", "关"}, true
	case "choice.none":
		return row{"no limit", "不限"}, true
	case "phrase.settings":
		return row{"settings", "设置"}, true
	}
	return row{}, false
}
