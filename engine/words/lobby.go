package words

// lobbyText is what the terminal says of the web mirror and of who is let in.
func lobbyText(key string) (row, bool) {
	switch key {
	case "key.mirror":
		return row{"mirror", "镜像"}, true
	case "help.mirror":
		return row{"Show the session on phones and second screens, and let people in", "在手机和其他屏幕上显示会话，并接入他人"}, true
	case "lobby.title":
		return row{"Web mirror", "网页镜像"}, true
	case "lobby.off":
		return row{"It is off. Switched on, it serves a page with this session on this computer: people watch on a phone or a second screen, and some may approve. It binds to this computer, and to the address of --mirror-lan where one is given.", "当前关闭。开启后，本机会提供一个显示此会话的网页：他人可在手机或其他屏幕上观看，部分人可审批。它绑定本机；若给出 --mirror-lan，也绑定该地址。"}, true
	case "lobby.offKeys":
		return row{"Enter switches it on · Esc leaves", "Enter 开启 · Esc 离开"}, true
	case "lobby.on":
		return row{"on · {n} connected", "已开启 · {n} 人在线"}, true
	case "lobby.class":
		return row{"viewers' code", "观看码"}, true
	case "lobby.approver":
		return row{"approver's code", "审批码"}, true
	case "lobby.share":
		return row{"viewers see", "观看者可见"}, true
	case "lobby.share.all":
		return row{"everything on this screen", "此屏幕上的全部内容"}, true
	case "lobby.share.names":
		return row{"what is said and done, without arguments and results", "对话与操作名称，不含参数和结果"}, true
	case "lobby.share.none":
		return row{"only that something happens", "仅显示有事发生"}, true
	case "lobby.noCode":
		return row{"none", "无"}, true
	case "lobby.nobody":
		return row{"Nobody is let in yet: c shows a code for viewers, a one for an approver", "尚无人接入：按 c 显示观看码，按 a 显示审批码"}, true
	case "lobby.here":
		return row{"here", "在线"}, true
	case "lobby.away":
		return row{"away", "离线"}, true
	case "lobby.told":
		return row{"{name} wants to approve; {key} lets in", "{name} 请求审批权限，按 {key} 处理"}, true
	}
	return lobbyAsks(key)
}

// lobbyAsks are questions, and the keys that answer them.
func lobbyAsks(key string) (row, bool) {
	switch key {
	case "lobby.asks":
		return row{"{name}[ at {address}] wants to approve · {time}", "{name}[（{address}）]请求审批权限 · {time}"}, true
	case "lobby.digits":
		return row{"Ask for the four digits on their screen:", "请询问对方屏幕上的四位数字："}, true
	case "lobby.askKeys":
		return row{"Enter lets in · r refuses · Esc leaves", "Enter 接入 · r 拒绝 · Esc 离开"}, true
	case "lobby.keys":
		return row{"c viewers · a approver · q code · v seen · ← → role · x out · s off · Esc", "c 观看码 · a 审批码 · q 显示 · v 范围 · ← → 角色 · x 移除 · s 关闭 · Esc"}, true
	case "lobby.codeKeys":
		return row{"Esc goes back; the code stays good", "Esc 返回，配对码仍有效"}, true
	case "lobby.classJoin":
		return row{"To watch: open this address, or point the camera here", "观看：打开此地址，或用相机扫描"}, true
	case "lobby.approverJoin":
		return row{"For one approver: open this address, or point the camera here", "供一位审批者：打开此地址，或用相机扫描"}, true
	case "lobby.watchOnly":
		return row{"by plain http devices can only watch; start with --mirror-tls self", "明文 http 下设备只能观看；请用 --mirror-tls self 启动"}, true
	case "lobby.near":
		return row{"only this computer gets there; phones: --mirror-lan or --mirror-origin", "仅本机可打开；手机接入：--mirror-lan 或 --mirror-origin"}, true
	case "lobby.classJoinNear":
		return row{"To watch on this computer: open this address (phones: --mirror-lan)", "在本机观看：打开此地址（手机：--mirror-lan）"}, true
	case "lobby.approverJoinNear":
		return row{"One approver, on this computer: open this address (phones: --mirror-lan)", "供本机的一位审批者：打开此地址（手机：--mirror-lan）"}, true
	case "lobby.small":
		return row{"The window is too small to show whose role that would change", "窗口太小，看不到要更改谁的角色"}, true
	case "lobby.noRoom":
		return row{"The picture needs a larger window; the code works when typed", "窗口太小，无法显示二维码；可手动输入配对码"}, true
	case "lobby.stopSure":
		return row{"Switch the mirror off and let go of everybody? y does it, any other key leaves it on", "关闭镜像并断开所有人？按 y 关闭，其他键保持开启"}, true
	case "lobby.revokeSure":
		return row{"Throw {name} out? y does it, any other key leaves it", "移除 {name}？按 y 移除，其他键保留"}, true
	case "lobby.follow":
		return row{"The mirror showed the session before to {n} devices. Show them this one instead?", "镜像之前向 {n} 台设备显示上一个会话。要改为显示当前会话吗？"}, true
	case "lobby.followKeys":
		return row{"y shows it · Enter or Esc does not", "y 显示 · Enter 或 Esc 不显示"}, true
	case "lobby.moved":
		return row{"The mirror shows this session now", "镜像现在显示此会话"}, true
	case "lobby.held":
		return row{"{name} approves {digest} over plain http: counts in {time} · Esc stops it", "{name} 通过明文 http 批准 {digest}：{time} 后生效 · Esc 中止"}, true
	case "lobby.insecure":
		return row{"approvals over plain http are admitted: anybody on this network can read and change them", "允许通过明文 http 审批：此网络上的任何人都能读取和篡改"}, true
	case "role.viewer":
		return row{"viewer", "观看者"}, true
	case "role.approver":
		return row{"approver", "审批者"}, true
	case "role.presenter":
		return row{"presenter", "演示者"}, true
	case "role.operator":
		return row{"operator", "操作者"}, true
	}
	return row{}, false
}
