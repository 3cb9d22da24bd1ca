package words

// codeText is an error's sentence for people, by its code. In English the event's own message is
// more exact, so only Chinese readers see these.
func codeText(key string) (row, bool) {
	switch key {
	case "code.SESSION_BUSY":
		return row{"a run is active; wait for its end or cancel it", "正在运行，请等待结束或取消"}, true
	case "code.EMPTY_MESSAGE":
		return row{"there is nothing to send", "没有可发送的内容"}, true
	case "code.NOTHING_RUNNING":
		return row{"nothing is running", "当前没有运行"}, true
	case "code.SESSION_READ_ONLY":
		return row{"this session is open for reading only", "此会话以只读方式打开"}, true
	case "code.SESSION_LOCKED":
		return row{"another process has this session open", "另一个进程正在使用此会话"}, true
	case "code.JOURNAL_FAILED":
		return row{"the journal could not be written; nothing after this is saved", "日志无法写入，之后的内容都不会保存"}, true
	case "code.JOURNAL_DAMAGED":
		return row{"the journal is damaged; open for reading only", "日志已损坏，以只读方式打开"}, true
	case "code.JOURNAL_NEWER":
		return row{"written by a newer version; open for reading only", "由更新的版本写入，以只读方式打开"}, true
	case "code.BUDGET_EXCEEDED":
		return row{"a budget of this run is used up", "本次运行的预算已用完"}, true
	case "code.NO_PROGRESS":
		return row{"three turns in a row every call ended the same way", "连续三轮所有调用都以同样方式结束"}, true
	case "code.RUN_CANCELLED":
		return row{"the run was cancelled", "运行已取消"}, true
	case "code.INTERRUPTED":
		return row{"the program ended in the middle; nothing was repeated", "程序中途结束，未重复执行任何操作"}, true
	case "code.OUTCOME_UNKNOWN":
		return row{"it is not known whether it took effect; check before repeating", "不确定是否已生效，重复前请先检查"}, true
	case "code.INTERNAL":
		return row{"a fault of the program itself; the log file has the details", "程序内部错误，详情见日志文件"}, true
	case "code.MODEL_STREAM_CUT":
		return row{"the answer was cut before its end; send the message again", "回答在结束前被截断，请重新发送"}, true
	case "code.MODEL_RATE_LIMITED":
		return row{"the provider limits the rate of requests", "服务商限制了请求频率"}, true
	case "code.TOOL_UNKNOWN":
		return row{"there is no such tool", "没有这个工具"}, true
	case "code.POLICY_DENIED":
		return row{"the policy denies this call", "策略禁止此调用"}, true
	case "code.INVALID_ARGUMENTS":
		return row{"the arguments do not fit the tool", "参数不符合工具要求"}, true
	case "code.APPROVAL_DENIED":
		return row{"a person denied this call", "有人拒绝了此调用"}, true
	case "code.APPROVAL_EXPIRED":
		return row{"nobody decided in time; it was not run", "无人在时限内决定，未执行"}, true
	case "code.APPROVAL_CANCELLED":
		return row{"the run was cancelled before a decision", "决定之前运行已取消"}, true
	case "code.APPROVAL_ALREADY_RESOLVED":
		return row{"somebody else decided first", "已有人先作出决定"}, true
	case "code.CHANGED_SINCE_APPROVAL":
		return row{"what was approved has changed since; ask again", "批准后内容已变化，请重新请求"}, true
	case "code.SECRET_IN_ARGUMENTS":
		return row{"it holds a secret that nobody could be shown", "其中含有无法展示的机密"}, true
	case "code.PATH_OUTSIDE_WORKSPACE":
		return row{"the path leads out of the workspace", "路径超出工作区"}, true
	case "code.PATH_NOT_FOUND":
		return row{"there is nothing at this path", "此路径不存在"}, true
	case "code.PROTECTED_PATH":
		return row{"the file is protected", "文件受保护"}, true
	case "code.USAGE_UNKNOWN":
		return row{"the provider did not say how many tokens it used; an estimate counts", "服务商未提供词元用量，按估算计"}, true
	case "code.ANSWER_CUT":
		return row{"the answer reached the output limit and ends early", "回答达到输出上限，提前结束"}, true
	case "code.ANSWER_EMPTY":
		return row{"the model answered with nothing", "模型没有给出内容"}, true
	case "code.CATALOGUE_CUT":
		return row{"the list of skills is too long for the model", "技能列表过长，部分未列出"}, true
	}
	return row{}, false
}
