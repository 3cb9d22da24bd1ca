package words

import "slices"

// pageTexts are what the page says of itself.
func pageTexts() []keyed {
	return slices.Concat(pageDoorTexts(), pageStatusTexts(), pageViewsTexts(), pageCardTexts(), pageUploadsTexts(), pageSayTexts(), pageSettingsTexts())
}

// pageDoorTexts are those of the way in.
func pageDoorTexts() []keyed {
	return []keyed{
		{"page.title", row{"Agent Studio", "Agent Studio"}},
		{"page.skip", row{"Skip to the conversation", "跳到对话"}},
		{"page.inApp", row{"This is a browser inside another app. Photos, sound and reconnecting may not work here: open this page in your phone's browser.", "当前为其他应用的内置浏览器，照片、声音和重连可能无法使用，请在手机浏览器中打开此页面。"}},
		{"page.join", row{"Join the session", "加入会话"}},
		{"page.code", row{"Code", "配对码"}},
		{"page.name", row{"Your name, as others see it", "你的名字（其他人可见）"}},
		{"page.joinButton", row{"Join", "加入"}},
		{"page.digits", row{"Read these digits to whoever sits at the terminal:", "请把这组数字告诉终端前的人："}},
		{"page.digitsLeft", row{"waiting for the terminal · {time} left", "等待终端确认 · 剩余 {time}"}},
		{"page.back", row{"Back", "返回"}},
		{"page.left", row{"You have left. A new code lets you in again.", "你已离开。使用新的配对码可重新加入。"}},
		{"page.revoked", row{"This device was let out, or its time is over. A new code lets it in again.", "此设备已被移除或已过期。使用新的配对码可重新加入。"}},
		{"page.again", row{"This server does not know this device. Join with a code.", "服务器不认识此设备，请用配对码加入。"}},
		{"page.noServer", row{"The server does not answer. Is this device on the same network?", "服务器无响应。此设备是否在同一网络中？"}},
		{"page.screen", row{"Screen", "屏幕"}},
	}
}

// pageStatusTexts are those of how it stands with the connection and the run.
func pageStatusTexts() []keyed {
	return []keyed{
		{"page.link.none", row{"not joined", "未加入"}},
		{"page.link.connecting", row{"connecting", "正在连接"}},
		{"page.link.live", row{"live", "实时"}},
		{"page.link.checking", row{"checking the connection", "正在检查连接"}},
		{"page.link.reconnecting", row{"reconnecting since {since}", "{since} 起重新连接"}},
		{"page.link.stale", row{"out of date since {since}", "{since} 起未更新"}},
		{"page.link.ended", row{"the mirror is off", "镜像已关闭"}},
		{"page.link.revoked", row{"let out", "已移除"}},
		{"page.link.taken", row{"open elsewhere", "已在别处打开"}},
		{"page.link.closed", row{"the session has ended", "会话已结束"}},
		{"page.explain.stale", row{"No connection since {since}: what you see is from then. Trying again.", "自 {since} 起没有连接，显示的是当时的内容，正在重试。"}},
		{"page.explain.ended", row{"The mirror was switched off at the terminal. What you see is the last of it.", "镜像已在终端关闭，显示的是最后的内容。"}},
		{"page.explain.taken", row{"This device has too many of these pages open, so this one has stopped.", "此设备打开的页面过多，此页已停止更新。"}},
		{"page.explain.readOnly", row{"Nothing can be decided or sent here: {why}.", "此处无法决定或发送：{why}。"}},
		{"page.comeBack", row{"Connect again", "重新连接"}},
		{"page.waitsYou", row{"waiting for you", "等待你的决定"}},
		{"page.waitsApprover", row{"waiting for an approver", "等待审批者"}},
		{"page.waitsMessage", row{"waiting for a message", "等待消息"}},
		{"page.stop", row{"Stop the run", "停止运行"}},
		{"page.stopSure", row{"Press again to stop", "再按一次停止"}},
		{"page.leave", row{"Leave", "离开"}},
		{"page.leaveSure", row{"Press again to leave", "再按一次离开"}},
		{"page.watch", row{"{n|viewer|viewers}", "{n} 人观看"}},
	}
}

// pageViewsTexts are those of the four views.
func pageViewsTexts() []keyed {
	return []keyed{
		{"page.chat", row{"Chat", "对话"}},
		{"page.timeline", row{"Timeline[ {n}]", "时间线[ {n}]"}},
		{"page.skills", row{"Skills[ {n}]", "技能[ {n}]"}},
		{"page.files", row{"Files[ {n}]", "文件[ {n}]"}},
		{"page.noChat", row{"Nothing has been said yet.", "还没有对话。"}},
		{"page.noTimeline", row{"Nothing has happened yet.", "还没有事件。"}},
		{"page.noSkills", row{"There are no skills here.", "没有技能。"}},
		{"page.noFiles", row{"Nothing has been sent in or made yet.", "还没有文件。"}},
		{"page.backLive", row{"Back to live", "回到最新"}},
		{"page.backNew", row{"Back to live · {n} new", "回到最新 · {n} 条新内容"}},
		{"page.thinking", row{"Thinking", "思考过程"}},
		{"page.table", row{"Table", "表格"}},
		{"page.arguments", row{"Arguments", "参数"}},
		{"page.result", row{"Result", "结果"}},
		{"page.resultCut", row{"The first 4 KiB of {size}", "{size} 中的前 4 KiB"}},
		{"page.look", row{"Show", "查看"}},
		{"page.save", row{"Save", "保存"}},
		{"page.notSaved", row{"Not saved", "未能保存"}},
		{"page.answered", row{"Agent: {text}", "智能体：{text}"}},
	}
}

// pageCardTexts are those of the approval card and its receipt.
func pageCardTexts() []keyed {
	return []keyed{
		{"page.asks", row{"{tool} asks", "{tool} 请求许可"}},
		{"page.asksYou", row{"Waiting for you: {tool} asks. {summary}", "等待你的决定：{tool} 请求许可。{summary}"}},
		{"page.asksOther", row{"Waiting for an approver: {tool} asks. {summary}", "等待审批者：{tool} 请求许可。{summary}"}},
		{"page.why", row{"Asked because of: {rule}[ ({source})][ · {matched}]", "依据：{rule}[（{source}）][ · {matched}]"}},
		{"page.exact", row{"Exact arguments", "完整参数"}},
		{"page.moreLines", row{"{n|more line|more lines} — read to the end to approve", "还有 {n} 行——读到末尾才能批准"}},
		{"page.readAll", row{"Read to the end", "已读到末尾"}},
		{"page.approve", row{"Approve", "批准"}},
		{"page.deny", row{"Deny", "拒绝"}},
		{"page.reason", row{"Reason (optional)", "理由（可选）"}},
		{"page.digest", row{"digest {digest}, the same at the terminal", "摘要 {digest}，与终端一致"}},
		{"page.extend", row{"5 minutes more", "延长 5 分钟"}},
		{"page.held", row{"Held at the terminal for 3 s, where it can be stopped…", "终端暂留 3 秒，期间可中止…"}},
		{"page.sending", row{"Sending…", "发送中…"}},
		{"page.waitResult", row{"Sent; waiting for the answer.", "已发送，等待结果。"}},
		{"page.moment", row{"One moment…", "请稍候…"}},
		{"page.notLive", row{"Off until the connection is live.", "连接恢复后才能决定。"}},
		{"page.notYou", row{"Only an approver can decide this.", "只有审批者可以决定。"}},
		{"page.receipt", row{"Receipt", "回执"}},
		{"page.decided", row{"{status}[ by {by}][ · {from}][ · {at}][ · digest {digest}][ · {reason}]", "{status}[ · {by}][ · {from}][ · {at}][ · 摘要 {digest}][ · {reason}]"}},
		{"page.late", row{"already {status}[ by {by}][ · {from}][ · {at}][ · digest {digest}]: yours came later", "此前{status}[ · {by}][ · {from}][ · {at}][ · 摘要 {digest}]，你的决定晚到"}},
		{"page.from.tui", row{"at the terminal", "终端"}},
		{"page.from.cli", row{"at the terminal", "终端"}},
		{"page.from.mirror", row{"from the mirror", "镜像"}},
		{"page.from.policy", row{"by rule", "规则"}},
		{"page.close", row{"Close", "关闭"}},
	}
}

// pageUploadsTexts are those of photos that are sent in.
func pageUploadsTexts() []keyed {
	return []keyed{
		{"page.photo", row{"+ Photo", "＋ 照片"}},
		{"page.photoKind", row{"only JPEG, PNG and WebP photos are taken", "仅接受 JPEG、PNG 和 WebP 照片"}},
		{"page.checking", row{"being checked", "正在检查"}},
		{"page.cancel", row{"Cancel", "取消"}},
		{"page.retry", row{"Try again", "重试"}},
		{"page.dismiss", row{"Dismiss", "收起"}},
		{"page.remove", row{"Take back", "撤回"}},
		{"page.smaller", row{"Send it smaller", "缩小后发送"}},
		{"page.shrinking", row{"making it smaller", "正在缩小"}},
		{"page.shrinkFailed", row{"this browser can't make it smaller", "此浏览器无法缩小该照片"}},
		{"page.uploadCut", row{"the connection broke before the end", "上传中连接中断"}},
		{"page.uploaded", row{"taken in · {width}×{height} · {size}", "已接收 · {width}×{height} · {size}"}},
	}
}

// pageSayTexts are those of an operator's field.
func pageSayTexts() []keyed {
	return []keyed{
		{"page.message", row{"Message", "消息"}},
		{"page.send", row{"Send", "发送"}},
		{"page.queue", row{"Queue", "排队"}},
		{"page.steer", row{"Steer", "插话"}},
	}
}

// pageSettingsTexts are those of the settings.
func pageSettingsTexts() []keyed {
	return []keyed{
		{"page.settings", row{"Settings", "设置"}},
		{"page.lang", row{"Language", "语言"}},
		{"page.size", row{"Text size", "字号"}},
		{"page.theme", row{"Colours", "配色"}},
		{"page.auto", row{"as the device", "跟随设备"}},
		{"page.dark", row{"dark", "深色"}},
		{"page.light", row{"light", "浅色"}},
		{"page.contrast", row{"high contrast", "高对比度"}},
		{"page.sound", row{"Sound and vibration for approvals", "审批时发声和振动"}},
		{"page.awake", row{"Keep the screen on", "保持屏幕常亮"}},
		{"page.notify", row{"Notify me when this page is in the background", "此页在后台时通知我"}},
		{"page.noSound", row{"This browser has no sound and no vibration", "此浏览器不支持声音和振动"}},
		{"page.noAwake", row{"This browser cannot keep the screen on", "此浏览器无法保持屏幕常亮"}},
		{"page.noNotify", row{"This browser has no notifications", "此浏览器不支持通知"}},
		{"page.notifySecure", row{"Notifications need https", "通知需要 https"}},
		{"page.notifyPhone", row{"Notifications are for computers: keep this page in view", "通知仅用于电脑，请保持此页可见"}},
		{"page.compare", row{"Compare with the server", "与服务器核对"}},
		{"page.same", row{"the same as the server at {seq}: {page} · {share}", "与服务器在 {seq} 处一致：{page} · {share}"}},
		{"page.differs", row{"differs from the server at {seq}: here {page}, there {server} · {share}", "与服务器在 {seq} 处不同：此处 {page}，服务器 {server} · {share}"}},
	}
}
