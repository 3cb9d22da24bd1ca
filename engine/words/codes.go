package words

// codeText is an error's sentence for people, by its code. In English the event's own message is
// more exact, so only Chinese readers see these. The English is the meaning in engine.Codes.
func codeText(key string) (row, bool) {
	switch key {
	case "code.SESSION_BUSY":
		return row{"a run is active; wait for its end or cancel it", "正在运行，请等待结束或取消"}, true
	case "code.SESSION_CLOSED":
		return row{"the session has been closed and takes no more commands", "会话已关闭，不再接受命令"}, true
	case "code.SESSION_NOT_FOUND":
		return row{"no session has this id", "没有此编号的会话"}, true
	case "code.SESSION_LOCKED":
		return row{"another process holds the session for writing", "另一个进程正在使用此会话"}, true
	case "code.SESSION_READ_ONLY":
		return row{"the session was opened for reading only", "此会话以只读方式打开"}, true
	case "code.NOTHING_RUNNING":
		return row{"there is no run to act on", "当前没有运行"}, true
	case "code.EMPTY_MESSAGE":
		return row{"a message needs text or an attachment", "没有可发送的内容"}, true
	case "code.MESSAGE_TOO_LARGE":
		return row{"the message is over the limit", "消息超过上限"}, true
	case "code.INVALID_COMMAND":
		return row{"the command is not one this session knows, or lacks a field", "会话不认识此命令，或缺少字段"}, true
	case "code.NOT_QUEUED":
		return row{"no such message waits; it has been delivered or withdrawn", "没有这条待发消息，可能已送达或撤回"}, true
	case "code.NOT_ALLOWED":
		return row{"this screen may not do that", "此界面无权执行该操作"}, true
	case "code.MODEL_NOT_CONFIGURED":
		return row{"no usable model connection; the message says what is missing", "没有可用的模型连接"}, true
	case "code.PROVIDER_API_MISMATCH":
		return row{"the provider is not spoken to by this API; the message names those that are", "此服务商不使用该接口"}, true
	case "code.JOURNAL_FAILED":
		return row{"the journal could not be written; nothing after this is saved", "日志无法写入，之后的内容都不会保存"}, true
	case "code.JOURNAL_DAMAGED":
		return row{"the journal has damaged lines; it is open read-only", "日志已损坏，以只读方式打开"}, true
	case "code.JOURNAL_NEWER":
		return row{"the journal was written by a newer version; it is open read-only", "由更新的版本写入，以只读方式打开"}, true
	case "code.STATE_UNUSABLE":
		return row{"the state directory cannot be written", "状态目录无法写入"}, true
	case "code.EVENT_MALFORMED":
		return row{"an event's payload does not fit its type", "事件内容与其类型不符"}, true
	case "code.EVENT_GAP":
		return row{"events are missing between the last one seen and this one", "上次看到的事件与此事件之间有缺失"}, true
	case "code.BUDGET_EXCEEDED":
		return row{"the run used up a budget; details name which", "本次运行的预算已用完"}, true
	case "code.BUDGET_NEEDS_PRICE":
		return row{"a cost budget needs a model whose price is known", "费用预算需要价格已知的模型"}, true
	case "code.NO_PROGRESS":
		return row{"three turns in a row every call failed the same way", "连续三轮所有调用都以同样方式结束"}, true
	case "code.RUN_CANCELLED":
		return row{"the run was cancelled before this finished", "运行已取消"}, true
	case "code.INTERRUPTED":
		return row{"the program ended in the middle; nothing was repeated", "程序中途结束，未重复执行任何操作"}, true
	case "code.OUTCOME_UNKNOWN":
		return row{"the program ended while this ran; check before repeating", "不确定是否已生效，重复前请先检查"}, true
	case "code.INTERNAL":
		return row{"a fault of the program itself; details are in the log file only", "程序内部错误，详情见日志文件"}, true
	case "code.CONTENT_FILTERED":
		return row{"the provider's filter stopped the answer", "服务商的过滤器中止了回答"}, true
	case "code.MODEL_REFUSED":
		return row{"the model refused to answer", "模型拒绝回答"}, true
	}
	return modelCodeText(key)
}

// modelCodeText is those of models, tools and approvals.
func modelCodeText(key string) (row, bool) {
	switch key {
	case "code.ADDRESS_REFUSED":
		return row{"the model's address may not be used; the message says why and what to do", "不允许使用此模型地址，请检查地址或启动选项"}, true
	case "code.MODEL_UNREACHABLE":
		return row{"the model's server could not be reached", "无法连接模型服务器"}, true
	case "code.MODEL_RATE_LIMITED":
		return row{"the provider limits the rate of requests", "服务商限制了请求频率"}, true
	case "code.MODEL_OVERLOADED":
		return row{"the provider is overloaded", "服务商过载"}, true
	case "code.MODEL_SERVER":
		return row{"the provider had a fault", "服务商发生故障"}, true
	case "code.MODEL_PROTOCOL":
		return row{"the provider's answer was not understood", "无法理解服务商的应答"}, true
	case "code.MODEL_STREAM_CUT":
		return row{"the answer was cut before its end", "回答在结束前被截断，请重新发送"}, true
	case "code.MODEL_TLS":
		return row{"the server's certificate was not accepted", "服务器证书未被接受"}, true
	case "code.MODEL_AUTH":
		return row{"the provider refuses the key, or got none; check the key setting", "服务商拒绝此密钥，或未收到密钥，请检查密钥设置"}, true
	case "code.MODEL_NOT_FOUND":
		return row{"the provider knows no such model or address", "服务商没有此模型或地址"}, true
	case "code.MODEL_BAD_REQUEST":
		return row{"the provider calls the request wrong", "服务商认为请求有误"}, true
	case "code.MODEL_TOO_LARGE":
		return row{"the request is larger than the provider takes", "请求超过服务商的上限"}, true
	case "code.MODEL_QUOTA":
		return row{"the account has no quota or credit left", "账户的配额或余额已用完"}, true
	case "code.MODEL_DOES_NOT_SUPPORT_IMAGES":
		return row{"the model is not known to take images; nothing was sent, and the picture waits", "当前模型未标明接受图像，未发送任何内容，图片仍保留；可更换模型，或用 --images true（表单的图像一项）声明"}, true
	case "code.CONTEXT_OVERFLOW":
		return row{"the request does not fit into the model's context window", "请求超出模型的上下文窗口"}, true
	case "code.TOOL_UNKNOWN":
		return row{"the tool is not on the closed list", "没有这个工具"}, true
	case "code.POLICY_DENIED":
		return row{"the policy denies this call; its rule says why", "策略禁止此调用"}, true
	case "code.INVALID_ARGUMENTS":
		return row{"the arguments do not fit the tool's schema", "参数不符合工具要求"}, true
	case "code.ARGUMENTS_TOO_LARGE":
		return row{"the arguments are over 64 KiB", "参数超过 64 KiB"}, true
	case "code.SECRET_IN_ARGUMENTS":
		return row{"a call under approval holds a secret that nobody could be shown", "其中含有无法展示的机密"}, true
	case "code.CALL_CUT_OFF":
		return row{"the call was cut by the output limit and was not run", "调用被输出上限截断，未执行"}, true
	case "code.TOOL_FAILED":
		return row{"the tool failed; the message says how", "工具执行失败"}, true
	case "code.TOOL_TIMEOUT":
		return row{"the tool did not finish within its time", "工具未在时限内完成"}, true
	case "code.TOOL_ABANDONED":
		return row{"the tool did not return after it was stopped; its late result is dropped", "工具停止后仍未返回，其结果已丢弃"}, true
	case "code.APPROVAL_REQUIRED":
		return row{"this tool needs a person's approval", "此工具需要有人审批"}, true
	case "code.APPROVAL_DENIED":
		return row{"a person denied the call", "有人拒绝了此调用"}, true
	case "code.APPROVAL_EXPIRED":
		return row{"nobody decided in time; the call was not run", "无人在时限内决定，未执行"}, true
	case "code.APPROVAL_CANCELLED":
		return row{"the approval was cancelled with its run", "决定之前运行已取消"}, true
	case "code.APPROVAL_NOT_FOUND":
		return row{"no approval has this id", "没有此编号的审批"}, true
	case "code.APPROVAL_MISMATCH":
		return row{"the decision names another digest than the one asked about", "决定所指的摘要与所问的不同"}, true
	case "code.APPROVAL_ALREADY_RESOLVED":
		return row{"somebody else decided otherwise first", "已有人先作出决定"}, true
	case "code.CHANGED_SINCE_APPROVAL":
		return row{"what was approved has changed since; ask again", "批准后内容已变化，请重新请求"}, true
	}
	if r, ok := mirrorCodeText(key); ok {
		return r, true
	}
	return fileCodeText(key)
}

// fileCodeText is those of files, and of notices, which are no errors.
func fileCodeText(key string) (row, bool) {
	switch key {
	case "code.PATH_OUTSIDE_WORKSPACE":
		return row{"the path leads out of the workspace and the skills", "路径超出工作区"}, true
	case "code.PATH_MALFORMED":
		return row{"the path is empty, too long or holds a NUL", "路径为空、过长或含有 NUL"}, true
	case "code.PATH_NOT_FOUND":
		return row{"there is nothing at this path", "此路径不存在"}, true
	case "code.SYMLINK_NOT_ALLOWED":
		return row{"links are not followed inside a root", "不跟随根目录内的链接"}, true
	case "code.NOT_A_REGULAR_FILE":
		return row{"a device, FIFO or socket is never read", "从不读取设备、管道或套接字"}, true
	case "code.NOT_A_FOLDER":
		return row{"the path is not a folder", "此路径不是文件夹"}, true
	case "code.IS_A_FOLDER":
		return row{"the path is a folder; ls lists it", "此路径是文件夹，请用 ls 列出"}, true
	case "code.PROTECTED_PATH":
		return row{"the name is on the list of protected files", "文件受保护"}, true
	case "code.BINARY_FILE":
		return row{"the file is not text", "此文件不是文本"}, true
	case "code.FILE_TOO_LARGE":
		return row{"the file is larger than what may be read", "文件超过可读取的大小"}, true
	case "code.PATTERN_INVALID":
		return row{"the pattern cannot be used; the message says where it fails", "模式无法使用"}, true
	case "code.ACCESS_DENIED":
		return row{"the operating system refuses access", "操作系统拒绝访问"}, true
	case "code.READ_FAILED":
		return row{"reading failed", "读取失败"}, true
	case "code.WRITE_FAILED":
		return row{"writing failed; the old file is untouched", "写入失败，旧文件未改动"}, true
	case "code.REF_NOT_FOUND":
		return row{"the log names nothing of that kind", "日志中没有此类内容"}, true
	case "code.IMAGE_SIGNATURE_MISMATCH":
		return row{"the file's content, its name and its declared type do not agree", "文件内容[（{content}）]与名称或声明的类型不一致，请按内容改正扩展名，或另存为 JPEG、PNG、WebP"}, true
	case "code.IMAGE_UNSUPPORTED":
		return row{"this kind of file is not taken; send JPEG, PNG or WebP", "不支持此类文件[（{content}）]，请另存或共享为 JPEG、PNG 或 WebP 后再发送"}, true
	case "code.IMAGE_TRUNCATED":
		return row{"the picture is cut short; send it again", "图片不完整，请重新发送"}, true
	case "code.IMAGE_CORRUPT":
		return row{"the picture is damaged; save it anew and send that", "图片已损坏，请重新保存后再发送"}, true
	case "code.IMAGE_TOO_MANY_PIXELS":
		return row{"the picture has too many pixels; make it smaller", "图片[为 {width}×{height}，]像素过多[：每边最多 {side}]，请先缩小"}, true
	case "code.IMAGE_TOO_LARGE":
		return row{"the picture, or all of a session's, are over the limit in bytes", "图片或本会话的全部图片超过大小上限[：文件大于 {most}，请缩小或另存为 JPEG][：将超过 {all}，请移除一些，或开新会话]"}, true
	case "code.IMAGE_TOO_MANY":
		return row{"a message takes four pictures at most", "一条消息最多四张图片"}, true
	case "code.IMAGE_EMPTY":
		return row{"the file is empty; choose another", "文件为空，请另选"}, true
	case "code.SCENARIO_UNKNOWN":
		return row{"no scenario has this name and no file is there", "没有此名称的场景或文件"}, true
	case "code.SCENARIO_INVALID":
		return row{"the scenario file has a fault; the message names file and line", "场景文件有误"}, true
	case "code.SKILL_INVALID":
		return row{"the skill has a fault; the message names file and line", "技能有误"}, true
	case "code.CONFIG_INVALID":
		return row{"the configuration or a flag has a fault", "配置或参数有误"}, true
	case "code.ACCOUNT_UNKNOWN":
		return row{"no such account; the message names those there are", "没有此账户"}, true
	case "code.USAGE_UNKNOWN":
		return row{"the provider did not say how many tokens it used; an estimate counts", "服务商未提供词元用量，按估算计"}, true
	case "code.ANSWER_CUT":
		return row{"the answer reached the output limit and ends early", "回答达到输出上限，提前结束"}, true
	case "code.ANSWER_EMPTY":
		return row{"the model answered with nothing", "模型没有给出内容"}, true
	case "code.REQUEST_REPEATED":
		return row{"the request was made once more, changed", "请求经调整后重新发送"}, true
	case "code.ANIMATION_DROPPED":
		return row{"the picture is animated; only its first frame is used", "此图片为动画，仅使用第一帧"}, true
	case "code.PROFILE_CONVERTED":
		return row{"the picture's colours were converted to sRGB", "图片颜色已转换为 sRGB"}, true
	case "code.PROFILE_IGNORED":
		return row{"the picture's colour profile could not be used; its colours may look different", "无法使用图片的颜色配置，颜色可能有偏差"}, true
	case "code.REASONING_LEFT_OUT":
		return row{"earlier reasoning belongs to another model and is not sent to this one", "之前的思考内容属于另一个模型，不会发送给当前模型"}, true
	case "code.PICTURES_LEFT_OUT":
		return row{"this model takes no images; earlier pictures are named to it in words", "当前模型不接受图像，之前的图片仅以文字提及"}, true
	case "code.IMAGE_LEFT_OUT":
		return row{"the provider refused a request with a picture[: {names}]; it is not sent again", "服务商拒绝了含图片的请求；不再发送[ {names}]，对话可继续[。服务商的说明：{said}]"}, true
	case "code.IMAGE_UNREADABLE":
		return row{"a picture cannot be read any more; the model is told of it in words", "图片[ {names} ]无法再读取，仅以文字告知模型"}, true
	case "code.CATALOGUE_CUT":
		return row{"the list of skills is too long for the model", "技能列表过长，部分未列出"}, true
	}
	return row{}, false
}
