package words

import "strings"

// Page is every text that the browser's page needs, by key: its own (page.), and those that rows name
// by kind, code and argument. The page fills them as Text does. The caller owns the map.
func Page(lang Lang) map[string]string {
	all := map[string]string{}
	put := func(key string) {
		if r, ok := lookup(key); ok {
			all[key] = map[Lang]string{English: r.en, Chinese: r.zh}[lang]
		}
	}
	for _, group := range sharedKeys() {
		for name := range strings.SplitSeq(group.names, "|") {
			put(group.prefix + name)
		}
	}
	for _, t := range pageTexts() {
		put(t.key)
	}
	return all
}

// keyed is a text with its key.
type keyed struct {
	key string
	row row
}

func pageText(key string) (row, bool) {
	if !strings.HasPrefix(key, "page.") {
		return row{}, false
	}
	for _, t := range pageTexts() {
		if t.key == key {
			return t.row, true
		}
	}
	return row{}, false
}

// keyGroup is keys of one prefix.
type keyGroup struct{ prefix, names string }

// sharedKeys are the texts of the other tables that rows need. A test compares them with those tables.
func sharedKeys() []keyGroup {
	return []keyGroup{
		{"arg.", "lang|picture|theme|title"},
		{"code.", "ACCESS_DENIED|ACCOUNT_UNKNOWN|ADDRESS_REFUSED|ANSWER_CUT|ANSWER_EMPTY|APPROVAL_ALREADY_RESOLVED|APPROVAL_CANCELLED|" +
			"APPROVAL_DENIED|APPROVAL_EXPIRED|APPROVAL_MISMATCH|APPROVAL_NOT_FOUND|APPROVAL_REQUIRED|ARGUMENTS_TOO_LARGE|BINARY_FILE|" +
			"BUDGET_EXCEEDED|BUDGET_NEEDS_PRICE|CALL_CUT_OFF|CATALOGUE_CUT|CHANGED_SINCE_APPROVAL|CONFIG_INVALID|CONTENT_FILTERED|" +
			"CONTEXT_OVERFLOW|DECISION_STALE|DECISION_STOPPED|DEVICE_UNKNOWN|EMPTY_MESSAGE|EVENT_GAP|EVENT_MALFORMED|FILE_TOO_LARGE|" +
			"INTERNAL|INTERRUPTED|INVALID_ARGUMENTS|INVALID_COMMAND|IS_A_FOLDER|JOURNAL_DAMAGED|JOURNAL_FAILED|JOURNAL_NEWER|" +
			"MESSAGE_TOO_LARGE|MIRROR_FULL|MIRROR_NEEDS_TLS|MODEL_AUTH|MODEL_BAD_REQUEST|MODEL_NOT_CONFIGURED|MODEL_NOT_FOUND|" +
			"MODEL_OVERLOADED|MODEL_PROTOCOL|MODEL_QUOTA|MODEL_RATE_LIMITED|MODEL_REFUSED|MODEL_SERVER|MODEL_STREAM_CUT|MODEL_TLS|" +
			"MODEL_TOO_LARGE|MODEL_UNREACHABLE|NOTHING_RUNNING|NOT_ALLOWED|NOT_A_FOLDER|NOT_A_REGULAR_FILE|NOT_QUEUED|NO_PROGRESS|" +
			"ORIGIN_REFUSED|OUTCOME_UNKNOWN|PAIRING_BUSY|PAIRING_EXPIRED|PAIRING_REFUSED|PAIRING_USED|PAIRING_WRONG|PATH_MALFORMED|" +
			"PATH_NOT_FOUND|PATH_OUTSIDE_WORKSPACE|PATTERN_INVALID|POLICY_DENIED|PROTECTED_PATH|PROVIDER_API_MISMATCH|RATE_LIMITED|" +
			"READ_FAILED|REF_NOT_FOUND|REQUEST_MALFORMED|REQUEST_TOO_LARGE|RUN_CANCELLED|SCENARIO_INVALID|SCENARIO_UNKNOWN|" +
			"SECRET_IN_ARGUMENTS|SESSION_BUSY|SESSION_CLOSED|SESSION_LOCKED|SESSION_NOT_FOUND|SESSION_READ_ONLY|SKILL_INVALID|" +
			"STATE_UNUSABLE|SYMLINK_NOT_ALLOWED|TOKEN_INVALID|TOOL_ABANDONED|TOOL_FAILED|TOOL_TIMEOUT|TOOL_UNKNOWN|USAGE_UNKNOWN|" +
			"WRITE_FAILED|ANIMATION_DROPPED|IMAGE_CORRUPT|IMAGE_EMPTY|IMAGE_LEFT_OUT|IMAGE_SIGNATURE_MISMATCH|IMAGE_TOO_LARGE|IMAGE_TOO_MANY|" +
			"IMAGE_TOO_MANY_PIXELS|IMAGE_TRUNCATED|IMAGE_UNREADABLE|IMAGE_UNSUPPORTED|MODEL_DOES_NOT_SUPPORT_IMAGES|PICTURES_LEFT_OUT|" +
			"PROFILE_CONVERTED|PROFILE_IGNORED|REASONING_LEFT_OUT|REQUEST_REPEATED"},
		{"event.", "approval.extended|approval.required|approval.resolved|artifact.ready|assistant|attachment.added|attachment.rejected|" +
			"attachment.removed|budget.warned|catalog.loaded|compaction.completed|compaction.failed|compaction.started|gate.released|" +
			"gate.waiting|journal.damaged|journal.repaired|mirror.device|model.cleared|model.configured|model.retrying|notice|" +
			"prompt.changed|reasoning|run.cancelled|run.completed|run.failed|run.started|session.closed|session.renamed|" +
			"session.resumed|session.started|settings.changed|skill.loaded|skill.requested|tool.completed|tool.denied|tool.failed|" +
			"tool.requested|tool.started|turn.completed|turn.started|user.delivered|user.message|user.withdrawn"},
		{"label.", "agent|approval|file|notice|run|session|skill|studio|tool|you"},
		{"light.", "available|broken|loaded|requested|shadowed"},
		{"phase.", "cancelled|cancelling|failed|idle|noModel|readOnly|running|waiting"},
		{"phrase.", "built in|built in: the tool's own policy|only tools on the closed list run|settings"},
		{"retry.", "MODEL_OVERLOADED|MODEL_RATE_LIMITED|MODEL_SERVER|MODEL_STREAM_CUT|MODEL_UNREACHABLE"},
		{"risk.", "reads|replacesReport|writesReport"},
		{"role.", "approver|operator|presenter|viewer"},
		{"rule.", "allow|ask|deny"},
		{"source.", "bundled|extra|project|user"},
		{"state.", "completed|denied|failed|queued|requested|running|steers|waiting|withdrawn"},
		{"ui.", "agent|cut|hole|ms|oneOf|repeats|runCancelled|runFailed|you"},
		{"who.", "close|expiry|recovery|run|signal|terminal"},
		{"why.", "manual|overflow|threshold"},
		{"word.", "allow|approved|ask|cancelled|changed|changed.approver|changed.operator|changed.presenter|changed.viewer|cost|cut|deadline|denied|deny|expired|followUp|paired|promoted|refused|revoked|steer|tokens|" +
			"turns"},
	}
}
