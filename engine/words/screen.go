package words

// screenText is what the screens say beside events.
func screenText(key string) (row, bool) {
	switch key {
	case "ui.skills":
		return row{"SKILLS", "技能"}, true
	case "ui.chat":
		return row{"CHAT", "对话"}, true
	case "ui.timeline":
		return row{"TIMELINE", "时间线"}, true
	case "ui.tools":
		return row{"TOOLS", "工具"}, true
	case "ui.files":
		return row{"FILES", "文件"}, true
	case "ui.agent":
		return row{"Agent", "智能体"}, true
	case "ui.you":
		return row{"You", "你"}, true
	case "ui.scripted":
		return row{"scripted", "脚本"}, true
	case "ui.vision":
		return row{"vision", "视觉"}, true
	case "ui.gauges":
		return row{"turn {turns}   {tokens} tok", "第 {turns} 轮   {tokens} 词元"}, true
	case "ui.following":
		return row{"following", "跟随中"}, true
	case "ui.newBelow":
		return row{"{n} new", "{n} 条新内容"}, true
	case "ui.notFollowing":
		return row{"not following", "未跟随"}, true
	case "ui.welcomeDemo":
		return row{"{key.demo} fills in the demo prompt, Enter sends it.", "按 {key.demo} 填入演示提示，按 Enter 发送。"}, true
	case "ui.welcomeNoModel":
		return row{"No model is connected. /model opens the form that connects one; {key.settings} opens the settings.", "尚未连接模型。输入 /model 打开连接表单；{key.settings} 打开设置。"}, true
	case "ui.welcome":
		return row{"/ lists commands, @ names a file, {key.help} shows all keys.", "/ 列出命令，@ 引用文件，{key.help} 显示所有按键。"}, true
	case "ui.hint":
		return row{"Message", "输入消息"}, true
	case "ui.hintBusy":
		return row{"{key.queue} queues · {key.steer} steers · {key.cancel} cancels", "{key.queue} 排队 · {key.steer} 插话 · {key.cancel} 取消"}, true
	case "ui.hintNoModel":
		return row{"No model: /model connects one, {key.settings} is the settings", "没有可用模型：输入 /model 连接，或按 {key.settings} 打开设置"}, true
	case "ui.hintReadOnly":
		return row{"This session is open for reading only", "此会话以只读方式打开"}, true
	case "ui.cancelling":
		return row{"Cancelling. {key.cancel} again within two seconds quits.", "正在取消。两秒内再按 {key.cancel} 退出。"}, true
	case "ui.againQuits":
		return row{"{key.cancel} again quits", "再按一次 {key.cancel} 退出"}, true
	case "ui.quitAsk":
		return row{"y cancels the run and quits, any other key stays", "按 y 取消运行并退出，其他键留下"}, true
	case "ui.tooSmall":
		return row{"Too small: needs 40x12 at least", "窗口太小：至少需要 40x12"}, true
	case "ui.cut":
		return row{"— cut off here", "— 在此处被截断"}, true
	case "ui.thinking":
		return row{"…[ {thought}]", "…[ {thought}]"}, true
	case "ui.moreBelow":
		return row{"{n} below", "下方还有 {n} 行"}, true
	case "ui.moreText":
		return row{"+ {n} more lines", "还有 {n} 行"}, true
	case "ui.moreBytes":
		return row{"+ {size} more", "还有 {size}"}, true
	case "ui.days":
		return row{"{n} days", "{n} 天"}, true
	case "ui.ms":
		return row{"{ms} ms", "{ms} 毫秒"}, true
	case "ui.times":
		return row{"{metric} {ratio}× target", "{metric} 为目标的 {ratio} 倍"}, true
	case "ui.runFailed":
		return row{"The run failed: {why} ({code})", "运行失败：{why}（{code}）"}, true
	case "ui.runCancelled":
		return row{"The run was cancelled[ by {by}]", "运行已取消[（{by}）]"}, true
	case "ui.hole":
		return row{"Here events are missing: {why}", "此处缺少事件：{why}"}, true
	case "ui.atLine":
		return row{"{text} (line {line})", "{text}（第 {line} 行）"}, true
	case "ui.repeats":
		return row{"done before at {seq}, not repeated", "已在 {seq} 完成，未重复执行"}, true
	case "ui.refusedBy":
		return row{"{status} · {by}", "{status} · {by}"}, true
	case "ui.decidedBy":
		return row{"{ms} ms · {status}[ by {by}]", "{ms} 毫秒 · {status}[（{by}）]"}, true
	case "ui.withReason":
		return row{"{text}, with the reason: {reason}", "{text}，理由：{reason}"}, true
	case "ui.spend":
		return row{"spend", "花费"}, true
	case "ui.teaching":
		return row{"teaching data", "教学数据"}, true
	case "ui.help":
		return row{"Keys", "按键"}, true
	case "ui.helpKeys":
		return row{"↑ ↓ scroll · Esc closes", "↑ ↓ 滚动 · Esc 关闭"}, true
	}
	return panelText(key)
}

func panelText(key string) (row, bool) {
	switch key {
	case "ui.approval":
		return row{"APPROVAL", "审批"}, true
	case "ui.oneOf":
		return row{"1 of {n}", "第 1 个，共 {n} 个"}, true
	case "ui.moreLines":
		return row{"+ {n} more lines   {key.pageDown} reads on", "还有 {n} 行   {key.pageDown} 继续"}, true
	case "ui.lastLines":
		return row{"end   {key.pageUp} goes back", "末尾   {key.pageUp} 返回"}, true
	case "ui.sent":
		return row{"sent — waiting for the log", "已发送，等待记录"}, true
	case "ui.wait":
		return row{"wait a moment", "请稍候"}, true
	case "ui.tooSoon":
		return row{"too soon after the question or another key: wait a moment, press again", "按键过早：请稍候再按一次"}, true
	case "ui.reason":
		return row{"Reason (optional):", "理由（可选）："}, true
	case "ui.reasonKeys":
		return row{"Enter denies · Esc back", "Enter 拒绝 · Esc 返回"}, true
	case "ui.digest":
		return row{"digest {digest}", "摘要 {digest}"}, true
	case "ui.whyAsked":
		return row{"Asked because of the rule “{rule}” ({source}); it matched {matched}", "依据规则“{rule}”（{source}）；匹配 {matched}"}, true
	case "ui.wasFirst":
		return row{"Already decided: {status} by {by}", "已有决定：{status}（{by}）"}, true
	case "rule.allow":
		return row{"allow {tool}", "允许 {tool}"}, true
	case "rule.ask":
		return row{"ask {tool}", "询问 {tool}"}, true
	case "rule.deny":
		return row{"deny {tool}", "禁止 {tool}"}, true
	case "phrase.built in":
		return row{"built in", "内置"}, true
	case "phrase.built in: the tool's own policy":
		return row{"built in: the tool's own policy", "内置：工具自身的策略"}, true
	case "phrase.only tools on the closed list run":
		return row{"only tools on the closed list run", "只运行固定列表中的工具"}, true
	case "who.terminal":
		return row{"terminal", "终端"}, true
	case "who.expiry":
		return row{"expiry", "超时"}, true
	case "who.recovery":
		return row{"recovery", "恢复"}, true
	case "who.close":
		return row{"closing", "关闭会话"}, true
	case "who.run":
		return row{"the run", "运行"}, true
	case "who.signal":
		return row{"a signal", "信号"}, true
	case "risk.reads":
		return row{"Reads only, changes nothing: {what}", "仅读取，不作任何更改：{what}"}, true
	case "risk.writesReport":
		return row{"Writes report.md in this session. Nothing else changes.", "将写入本会话的 report.md，其他一概不变。"}, true
	case "risk.replacesReport":
		return row{"Replaces the report.md of this session: what stands there now is gone. Nothing else changes.", "将替换本会话的 report.md，原有内容不再保留，其他一概不变。"}, true
	case "phase.idle":
		return row{"idle", "空闲"}, true
	case "phase.running":
		return row{"running", "运行中"}, true
	case "phase.waiting":
		return row{"waiting for approval", "等待审批"}, true
	case "phase.cancelling":
		return row{"cancelling", "正在取消"}, true
	case "phase.failed":
		return row{"failed", "失败"}, true
	case "phase.cancelled":
		return row{"cancelled", "已取消"}, true
	case "phase.readOnly":
		return row{"read only", "只读"}, true
	case "phase.noModel":
		return row{"no model", "无模型"}, true
	}
	return stateText(key)
}

func stateText(key string) (row, bool) {
	switch key {
	case "light.available":
		return row{"available · {tokens} tok", "可用 · {tokens} 词元"}, true
	case "light.requested":
		return row{"requested at {seq}", "于 {seq} 请求"}, true
	case "light.loaded":
		return row{"loaded at {seq} · {tokens} tok", "于 {seq} 载入 · {tokens} 词元"}, true
	case "light.shadowed":
		return row{"hidden by another of this name", "被同名技能遮蔽"}, true
	case "light.broken":
		return row{"broken", "损坏"}, true
	case "state.queued":
		return row{"queued", "排队中"}, true
	case "state.steers":
		return row{"goes in after the calls under way", "当前调用结束后送达"}, true
	case "state.withdrawn":
		return row{"withdrawn", "已撤回"}, true
	case "state.requested":
		return row{"requested", "已请求"}, true
	case "state.waiting":
		return row{"waits for approval", "等待审批"}, true
	case "state.running":
		return row{"running", "执行中"}, true
	case "state.completed":
		return row{"done", "完成"}, true
	case "state.denied":
		return row{"not run", "未执行"}, true
	case "state.failed":
		return row{"failed", "失败"}, true
	case "word.cut":
		return row{"cut off", "被截断"}, true
	case "word.paired":
		return row{"let in", "已接入"}, true
	case "word.refused":
		return row{"refused", "被拒绝"}, true
	case "word.promoted":
		return row{"may decide now", "可作决定"}, true
	case "word.changed":
		return row{"has another role", "角色已更改"}, true
	case "word.changed.viewer":
		return row{"only watches now", "现在只能观看"}, true
	case "word.changed.approver":
		return row{"is an approver now", "现为审批者"}, true
	case "word.changed.presenter":
		return row{"is a presenter now", "现为演示者"}, true
	case "word.changed.operator":
		return row{"may also send now", "现在也可发送消息"}, true
	case "word.revoked":
		return row{"let out", "已移除"}, true
	case "word.approved":
		return row{"approved", "已批准"}, true
	case "word.denied":
		return row{"denied", "已拒绝"}, true
	case "word.expired":
		return row{"expired", "已过期"}, true
	case "word.cancelled":
		return row{"cancelled", "已取消"}, true
	case "word.allow":
		return row{"allowed", "允许"}, true
	case "word.ask":
		return row{"asks", "需询问"}, true
	case "word.deny":
		return row{"denied", "禁止"}, true
	case "word.steer":
		return row{"steers", "插话"}, true
	case "word.followUp":
		return row{"queued", "排队"}, true
	case "word.turns":
		return row{"turns", "轮数"}, true
	case "word.tokens":
		return row{"tokens", "词元"}, true
	case "word.cost":
		return row{"cost", "费用"}, true
	case "word.deadline":
		return row{"time", "时间"}, true
	}
	return row{}, false
}
