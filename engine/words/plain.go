package words

// plainText is what the plain, line by line screen says.
func plainText(key string) (row, bool) {
	switch key {
	case "label.studio":
		return row{"studio", "工作室"}, true
	case "label.you":
		return row{"you", "你"}, true
	case "label.agent":
		return row{"agent", "智能体"}, true
	case "label.tool":
		return row{"tool", "工具"}, true
	case "label.skill":
		return row{"skill", "技能"}, true
	case "label.approval":
		return row{"approval", "审批"}, true
	case "label.run":
		return row{"run", "运行"}, true
	case "label.session":
		return row{"session", "会话"}, true
	case "label.file":
		return row{"file", "文件"}, true
	case "label.notice":
		return row{"notice", "提示"}, true
	case "plain.welcome":
		return row{"Agent Studio, session {id}. Type a message and press Enter; /help lists what else there is", "Agent Studio，会话 {id}。输入消息并按 Enter；/help 列出其他命令"}, true
	case "plain.noCommand":
		return row{"{name} is no command here, or needs something behind it; /help lists them. A space before it sends it as a message. Models are chosen by flags and by the studio's form", "此处没有命令 {name}，或它后面还缺内容；/help 列出命令。前面加空格则作为消息发送。模型通过参数或工作台的表单选择"}, true
	case "plain.help":
		return row{"/demo fills in the demo prompt, /attach PATH adds a picture to the next message and /detach takes it away, /cancel stops the run, /quit leaves; while a question is open, its numbers answer it", "/demo 填入演示提示，/attach 路径 为下一条消息添加图片，/detach 移除，/cancel 停止运行，/quit 退出；有审批时用数字回答"}, true
	case "plain.picture":
		return row{"with the picture {name}, {width}×{height}", "附图片 {name}，{width}×{height}"}, true
	case "plain.filled":
		return row{"press Enter to send: {text}", "按 Enter 发送：{text}"}, true
	case "plain.asks":
		return row{"digest {digest}, open until {at}", "摘要 {digest}，有效至 {at}"}, true
	case "plain.until":
		return row{"open until {at}", "有效至 {at}"}, true
	case "plain.choices":
		return row{"1 approves, 2 denies, 2 REASON denies with a reason, 3 gives five more minutes, 4 says why it asks", "1 批准，2 拒绝，2 加理由则附理由拒绝，3 延长五分钟，4 为何询问"}, true
	case "plain.noQuestion":
		return row{"no question is open; a space before the number sends it as a message", "当前没有审批；数字前加空格可作为消息发送"}, true
	case "plain.tooSoon":
		return row{"that came too soon to be meant for this question; type it once more", "输入过早，可能并非针对此问题；请再输入一次"}, true
	}
	return row{}, false
}
