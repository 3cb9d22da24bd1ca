package words

// mirrorCodeText is what the mirror refuses with.
func mirrorCodeText(key string) (row, bool) {
	switch key {
	case "code.ORIGIN_REFUSED":
		return row{"the page that asks is not served here, or the browser says that another site asks", "请求来自其他网站，已拒绝"}, true
	case "code.TOKEN_INVALID":
		return row{"the token is missing, wrong, expired or revoked; pair the device again", "令牌缺失、错误、过期或已撤销，请重新配对"}, true
	case "code.REQUEST_MALFORMED":
		return row{"the request or frame was not understood; the message says what is wrong", "请求无法理解"}, true
	case "code.REQUEST_TOO_LARGE":
		return row{"the request or frame is larger than what is taken", "请求过大"}, true
	case "code.RATE_LIMITED":
		return row{"too many of these in too short a time; wait a moment", "操作过于频繁，请稍候"}, true
	case "code.MIRROR_FULL":
		return row{"as many devices watch as the mirror takes", "观看的设备已达上限"}, true
	case "code.MIRROR_NEEDS_TLS":
		return row{"approving over the network needs TLS (--mirror-tls self); without it devices can only watch", "通过网络审批需要 TLS（--mirror-tls self），否则设备只能观看"}, true
	case "code.DECISION_STALE":
		return row{"the decision was pressed too long ago; look again and press again", "按下的时间过早，请查看后重新决定"}, true
	case "code.DECISION_STOPPED":
		return row{"the approval was stopped before it counted; look again, and press again if the question is still open", "批准在生效前被中止；如问题仍在，请重新查看后再决定"}, true
	case "code.PAIRING_WRONG":
		return row{"no such code is shown now", "当前没有这个配对码"}, true
	case "code.PAIRING_USED":
		return row{"the code has been used already; ask for a new one", "配对码已被使用，请索取新的"}, true
	case "code.PAIRING_BUSY":
		return row{"another device is being let in; try again in a minute", "正在接入另一台设备，请一分钟后再试"}, true
	case "code.PAIRING_REFUSED":
		return row{"the digits typed at the terminal were not those shown on the device; ask for a new code", "终端输入的数字与设备显示的不符，请索取新的配对码"}, true
	case "code.PAIRING_EXPIRED":
		return row{"nobody typed the digits in time; ask for a new code", "未在时限内输入数字，请索取新的配对码"}, true
	case "code.DEVICE_UNKNOWN":
		return row{"no device of this id is let in", "没有此设备"}, true
	}
	return row{}, false
}

// mirrorText is what the mirror says at a terminal without a screen.
func mirrorText(key string) (row, bool) {
	switch key {
	case "mirror.address":
		return row{"the mirror is at {address}", "镜像地址：{address}"}, true
	case "mirror.class":
		return row{"viewers join with the code {code}", "观看者配对码：{code}"}, true
	case "mirror.hidden":
		return row{"nobody joins by the class code any more; who is in stays", "班级配对码已停用；已加入者不受影响"}, true
	case "mirror.approver":
		return row{"one approver joins with the code {code}, good until {at}; type the four digits that the phone shows", "审批者配对码：{code}，有效至 {at}；请输入手机显示的四位数字"}, true
	case "mirror.insecure":
		return row{"warning: approvals over plain http are admitted; anybody on the network can read and change them", "警告：允许通过明文 http 审批，网络上的任何人都能读取和篡改"}, true
	case "mirror.asks":
		return row{"{name}[ at {address}] wants to approve; ask for the four digits on its screen and type them", "{name}[（{address}）]请求审批权限；请询问其屏幕上的四位数字并输入"}, true
	case "mirror.joined":
		return row{"{name} joined as {role} · {id}", "{name} 已加入，角色 {role} · {id}"}, true
	case "mirror.held":
		return row{"{name} approves {digest}; it counts in 3 s, Enter stops it", "{name} 批准 {digest}；3 秒后生效，按 Enter 中止"}, true
	case "mirror.sent":
		return row{"{name}: {text}", "{name}：{text}"}, true
	case "mirror.waits":
		return row{"{tool} waits for a decision until {at} · {digest}", "{tool} 等待决定，至 {at} · {digest}"}, true
	case "mirror.extended":
		return row{"{name} gave it time until {at}", "{name} 将时限延长至 {at}"}, true
	case "mirror.told":
		return row{"{what}", "{what}"}, true
	case "mirror.done":
		return row{"done", "已完成"}, true
	case "mirror.device":
		return row{"{id} {name} · {role}[ · {address}][ · {online}]", "{id} {name} · {role}[ · {address}][ · {online}]"}, true
	case "mirror.refused":
		return row{"not done: {why}", "未执行：{why}"}, true
	case "mirror.help":
		return row{"four digits let in who asks; refuse, code, class, hide, devices, revoke ID, role ID ROLE, share none|names|all, quit", "输入四位数字可接入请求者；refuse、code、class、hide、devices、revoke ID、role ID 角色、share none|names|all、quit"}, true
	}
	return row{}, false
}
