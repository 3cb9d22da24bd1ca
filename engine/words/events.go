package words

// eventText is what a row of the timeline says, by the event's type.
func eventText(key string) (row, bool) {
	switch key {
	case "event.session.started":
		return row{"session started", "会话开始"}, true
	case "event.session.resumed":
		return row{"session reopened[ · {run} was interrupted]", "会话重新打开[ · {run} 曾中断]"}, true
	case "event.session.closed":
		return row{"session closed", "会话关闭"}, true
	case "event.session.renamed":
		return row{"renamed[ to {title}]", "重命名[为 {title}]"}, true
	case "event.catalog.loaded":
		return row{"{skills|skill|skills}[, {broken} broken] · {tools|tool|tools}", "{skills} 个技能[，{broken} 个损坏] · {tools} 个工具"}, true
	case "event.settings.changed":
		return row{"settings changed", "设置已更改"}, true
	case "event.journal.damaged":
		return row{"events {from}–{to} are damaged", "事件 {from}–{to} 已损坏"}, true
	case "event.journal.repaired":
		return row{"repaired · events {from}–{to} lost", "已修复 · 事件 {from}–{to} 丢失"}, true
	case "event.model.configured":
		return row{"model {model}", "模型 {model}"}, true
	case "event.model.cleared":
		return row{"model removed", "模型已移除"}, true
	case "event.user.message":
		return row{"you[ ({delivery})]: {text}", "你[（{delivery}）]：{text}"}, true
	case "event.user.delivered":
		return row{"message delivered", "消息已送达"}, true
	case "event.user.withdrawn":
		return row{"message withdrawn", "消息已撤回"}, true
	case "event.run.started":
		return row{"run started", "运行开始"}, true
	case "event.prompt.changed":
		return row{"prompt and tools set", "提示与工具已设定"}, true
	case "event.turn.started":
		return row{"turn {turn} · {tokens} tok", "第 {turn} 轮 · {tokens} 词元"}, true
	case "event.model.retrying":
		return row{"try {attempt}[/{most}][ in {wait} s] · {code}", "重试 {attempt}[/{most}][ · {wait} 秒后] · {code}"}, true
	case "event.assistant":
		return row{"answer[ ×{count}][ · {cut}]", "回答[ ×{count}][ · {cut}]"}, true
	case "event.reasoning":
		return row{"reasoning[ ×{count}]", "推理[ ×{count}]"}, true
	case "event.turn.completed":
		return row{"turn {turn} done[ · {out} tok]", "第 {turn} 轮结束[ · {out} 词元]"}, true
	}
	return toolEventText(key)
}

func toolEventText(key string) (row, bool) {
	switch key {
	case "event.tool.requested":
		return row{"{tool}[ {target}][ · {verdict}]", "{tool}[ {target}][ · {verdict}]"}, true
	case "event.tool.denied":
		return row{"not run · {code}", "未执行 · {code}"}, true
	case "event.tool.started":
		return row{"started", "开始执行"}, true
	case "event.tool.completed":
		return row{"done · {ms} ms", "完成 · {ms} 毫秒"}, true
	case "event.tool.failed":
		return row{"failed · {code}", "失败 · {code}"}, true
	case "event.skill.requested":
		return row{"{name} requested", "请求 {name}"}, true
	case "event.skill.loaded":
		return row{"{name} loaded", "已载入 {name}"}, true
	case "event.approval.required":
		return row{"approval required", "需要审批"}, true
	case "event.approval.extended":
		return row{"more time given[ by {by}]", "延长时限[（{by}）]"}, true
	case "event.approval.resolved":
		return row{"{status}[ · {by}]", "{status}[ · {by}]"}, true
	case "event.attachment.added":
		return row{"attached {name}[ · {width}×{height}]", "已附加 {name}[ · {width}×{height}]"}, true
	case "event.attachment.removed":
		return row{"attachment removed[ by {by}]", "附件已移除[（{by}）]"}, true
	case "event.attachment.rejected":
		return row{"{name} refused · {code}", "{name} 被拒绝 · {code}"}, true
	case "event.artifact.ready":
		return row{"{name} saved", "{name} 已保存"}, true
	case "event.gate.waiting":
		return row{"waiting at a step", "等待单步"}, true
	case "event.gate.released":
		return row{"stepped on", "继续"}, true
	case "event.mirror.device":
		return row{"{name} {what}", "{name} {what}"}, true
	case "event.compaction.started":
		return row{"summarising[ · {why}]", "正在归纳[ · {why}]"}, true
	case "event.compaction.completed":
		return row{"summarised[ · {after} tok][, was {before}]", "已归纳[ · {after} 词元][，原 {before}]"}, true
	case "event.compaction.failed":
		return row{"not summarised · {code}", "归纳失败 · {code}"}, true
	case "event.notice":
		return row{"note · {code}", "提示 · {code}"}, true
	case "event.budget.warned":
		return row{"80 % of the {which} budget · {used}/{limit}", "{which}预算已用 80% · {used}/{limit}"}, true
	case "event.run.completed":
		return row{"run completed · {turns|turn|turns}", "运行完成 · {turns} 轮"}, true
	case "event.run.failed":
		return row{"run failed · {code}", "运行失败 · {code}"}, true
	case "event.run.cancelled":
		return row{"run cancelled[ by {by}]", "运行已取消[（{by}）]"}, true
	}
	return row{}, false
}
