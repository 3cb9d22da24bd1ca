package engine

// Code names a kind of failure. It is an error itself, so errors.Is(err, SessionBusy) works
// on anything that carries the code, however deep.
type Code string

// Error returns the code's own spelling.
func (c Code) Error() string { return string(c) }

// The codes the engine and its rooms use. Codes gives their meanings, in the same order.
const (
	// Commands and sessions.
	SessionBusy         Code = "SESSION_BUSY"
	SessionClosedCode   Code = "SESSION_CLOSED"
	SessionNotFound     Code = "SESSION_NOT_FOUND"
	SessionLocked       Code = "SESSION_LOCKED"
	SessionReadOnly     Code = "SESSION_READ_ONLY"
	NothingRunning      Code = "NOTHING_RUNNING"
	EmptyMessage        Code = "EMPTY_MESSAGE"
	MessageTooLarge     Code = "MESSAGE_TOO_LARGE"
	InvalidCommand      Code = "INVALID_COMMAND"
	NotAllowed          Code = "NOT_ALLOWED"
	NotQueued           Code = "NOT_QUEUED"
	ModelNotConfigured  Code = "MODEL_NOT_CONFIGURED"
	ProviderAPIMismatch Code = "PROVIDER_API_MISMATCH"

	// The log and its disk.
	JournalFailed  Code = "JOURNAL_FAILED"
	JournalDamaged Code = "JOURNAL_DAMAGED"
	JournalNewer   Code = "JOURNAL_NEWER"
	StateUnusable  Code = "STATE_UNUSABLE"
	EventMalformed Code = "EVENT_MALFORMED"
	EventGap       Code = "EVENT_GAP"

	// Runs.
	BudgetExceeded   Code = "BUDGET_EXCEEDED"
	BudgetNeedsPrice Code = "BUDGET_NEEDS_PRICE"
	NoProgress       Code = "NO_PROGRESS"
	RunCancelled     Code = "RUN_CANCELLED"
	Interrupted      Code = "INTERRUPTED"
	OutcomeUnknown   Code = "OUTCOME_UNKNOWN"
	Internal         Code = "INTERNAL"
	ContentFiltered  Code = "CONTENT_FILTERED"
	ModelRefused     Code = "MODEL_REFUSED"

	// The model.
	AddressRefused   Code = "ADDRESS_REFUSED"
	ModelUnreachable Code = "MODEL_UNREACHABLE"
	ModelRateLimited Code = "MODEL_RATE_LIMITED"
	ModelOverloaded  Code = "MODEL_OVERLOADED"
	ModelServer      Code = "MODEL_SERVER"
	ModelProtocol    Code = "MODEL_PROTOCOL"
	ModelStreamCut   Code = "MODEL_STREAM_CUT"
	ModelTLS         Code = "MODEL_TLS"
	ModelAuth        Code = "MODEL_AUTH"
	ModelNotFound    Code = "MODEL_NOT_FOUND"
	ModelBadRequest  Code = "MODEL_BAD_REQUEST"
	ModelTooLarge    Code = "MODEL_TOO_LARGE"
	ModelQuota       Code = "MODEL_QUOTA"
	ContextOverflow  Code = "CONTEXT_OVERFLOW"
	// ModelTakesNoImages refuses a message with a picture for a model that sees none.
	ModelTakesNoImages Code = "MODEL_DOES_NOT_SUPPORT_IMAGES"

	// Tool calls.
	ToolUnknown       Code = "TOOL_UNKNOWN"
	PolicyDenied      Code = "POLICY_DENIED"
	InvalidArguments  Code = "INVALID_ARGUMENTS"
	ArgumentsTooLarge Code = "ARGUMENTS_TOO_LARGE"
	SecretInArguments Code = "SECRET_IN_ARGUMENTS"
	CallCutOff        Code = "CALL_CUT_OFF"
	ToolFailedCode    Code = "TOOL_FAILED"
	ToolTimeout       Code = "TOOL_TIMEOUT"
	ToolAbandoned     Code = "TOOL_ABANDONED"

	// Approvals.
	ApprovalRequiredCode    Code = "APPROVAL_REQUIRED"
	ApprovalDenied          Code = "APPROVAL_DENIED"
	ApprovalExpired         Code = "APPROVAL_EXPIRED"
	ApprovalCancelled       Code = "APPROVAL_CANCELLED"
	ApprovalNotFound        Code = "APPROVAL_NOT_FOUND"
	ApprovalMismatch        Code = "APPROVAL_MISMATCH"
	ApprovalAlreadyResolved Code = "APPROVAL_ALREADY_RESOLVED"
	ChangedSinceApproval    Code = "CHANGED_SINCE_APPROVAL"

	// The mirror.
	OriginRefused    Code = "ORIGIN_REFUSED"
	TokenInvalid     Code = "TOKEN_INVALID"
	RequestMalformed Code = "REQUEST_MALFORMED"
	RequestTooLarge  Code = "REQUEST_TOO_LARGE"
	RateLimited      Code = "RATE_LIMITED"
	MirrorFull       Code = "MIRROR_FULL"
	MirrorNeedsTLS   Code = "MIRROR_NEEDS_TLS"
	DecisionStale    Code = "DECISION_STALE"
	DecisionStopped  Code = "DECISION_STOPPED"
	PairingWrong     Code = "PAIRING_WRONG"
	PairingUsed      Code = "PAIRING_USED"
	PairingBusy      Code = "PAIRING_BUSY"
	PairingRefused   Code = "PAIRING_REFUSED"
	PairingExpired   Code = "PAIRING_EXPIRED"
	DeviceUnknown    Code = "DEVICE_UNKNOWN"

	// The workspace.
	PathOutsideWorkspace Code = "PATH_OUTSIDE_WORKSPACE"
	PathMalformed        Code = "PATH_MALFORMED"
	PathNotFound         Code = "PATH_NOT_FOUND"
	SymlinkNotAllowed    Code = "SYMLINK_NOT_ALLOWED"
	NotARegularFile      Code = "NOT_A_REGULAR_FILE"
	NotAFolder           Code = "NOT_A_FOLDER"
	IsAFolder            Code = "IS_A_FOLDER"
	ProtectedPath        Code = "PROTECTED_PATH"
	BinaryFile           Code = "BINARY_FILE"
	FileTooLarge         Code = "FILE_TOO_LARGE"
	PatternInvalid       Code = "PATTERN_INVALID"
	AccessDenied         Code = "ACCESS_DENIED"
	ReadFailed           Code = "READ_FAILED"
	WriteFailed          Code = "WRITE_FAILED"
	RefNotFound          Code = "REF_NOT_FOUND"

	// Pictures.
	ImageSignatureMismatch Code = "IMAGE_SIGNATURE_MISMATCH"
	ImageUnsupported       Code = "IMAGE_UNSUPPORTED"
	ImageTruncated         Code = "IMAGE_TRUNCATED"
	ImageCorrupt           Code = "IMAGE_CORRUPT"
	ImageTooManyPixels     Code = "IMAGE_TOO_MANY_PIXELS"
	ImageTooLarge          Code = "IMAGE_TOO_LARGE"
	ImageTooMany           Code = "IMAGE_TOO_MANY"
	ImageEmpty             Code = "IMAGE_EMPTY"

	// Files people write.
	ScenarioUnknown Code = "SCENARIO_UNKNOWN"
	ScenarioInvalid Code = "SCENARIO_INVALID"
	SkillInvalid    Code = "SKILL_INVALID"
	ConfigInvalid   Code = "CONFIG_INVALID"
	AccountUnknown  Code = "ACCOUNT_UNKNOWN"
)

// CodeMeaning is one line of the list of codes, for docs and help.
type CodeMeaning struct {
	Code    Code
	Meaning string
}

// Codes lists every code with one line of meaning, grouped as declared. The caller owns the slice.
func Codes() []CodeMeaning {
	return []CodeMeaning{
		{SessionBusy, "a run is active; wait for its end or cancel it"},
		{SessionClosedCode, "the session has been closed and takes no more commands"},
		{SessionNotFound, "no session has this id"},
		{SessionLocked, "another process holds the session for writing"},
		{SessionReadOnly, "the session was opened for reading only"},
		{NothingRunning, "there is no run to act on"},
		{EmptyMessage, "a message needs text or an attachment"},
		{MessageTooLarge, "the message is over the limit"},
		{InvalidCommand, "the command is not one this session knows, or lacks a field"},
		{NotQueued, "no such message waits; it has been delivered or withdrawn"},
		{NotAllowed, "this screen may not do that"},
		{ModelNotConfigured, "no usable model connection; the message says what is missing"},
		{ProviderAPIMismatch, "the provider is not spoken to by this API; the message names those that are"},
		{JournalFailed, "the journal could not be written; nothing after this is saved"},
		{JournalDamaged, "the journal has damaged lines; it is open read-only"},
		{JournalNewer, "the journal was written by a newer version; it is open read-only"},
		{StateUnusable, "the state directory cannot be written"},
		{EventMalformed, "an event's payload does not fit its type"},
		{EventGap, "events are missing between the last one seen and this one"},
		{BudgetExceeded, "the run used up a budget; details name which"},
		{BudgetNeedsPrice, "a cost budget needs a model whose price is known"},
		{NoProgress, "three turns in a row every call failed the same way"},
		{RunCancelled, "the run was cancelled before this finished"},
		{Interrupted, "the program ended in the middle; nothing was repeated"},
		{OutcomeUnknown, "the program ended while this ran; check before repeating"},
		{Internal, "a fault of the program itself; details are in the log file only"},
		{ContentFiltered, "the provider's filter stopped the answer"},
		{ModelRefused, "the model refused to answer"},
		{AddressRefused, "the model's address may not be used; the message says why and what to do"},
		{ModelUnreachable, "the model's server could not be reached"},
		{ModelRateLimited, "the provider limits the rate of requests"},
		{ModelOverloaded, "the provider is overloaded"},
		{ModelServer, "the provider had a fault"},
		{ModelProtocol, "the provider's answer was not understood"},
		{ModelStreamCut, "the answer was cut before its end"},
		{ModelTLS, "the server's certificate was not accepted"},
		{ModelAuth, "the provider refuses the key; check the key setting"},
		{ModelNotFound, "the provider knows no such model or address"},
		{ModelBadRequest, "the provider calls the request wrong"},
		{ModelTooLarge, "the request is larger than the provider takes"},
		{ModelQuota, "the account has no quota or credit left"},
		{ContextOverflow, "the request does not fit into the model's context window"},
		{ModelTakesNoImages, "the model takes no images; nothing was sent, and the picture waits"},
		{ToolUnknown, "the tool is not on the closed list"},
		{PolicyDenied, "the policy denies this call; its rule says why"},
		{InvalidArguments, "the arguments do not fit the tool's schema"},
		{ArgumentsTooLarge, "the arguments are over 64 KiB"},
		{SecretInArguments, "a call under approval holds a secret that nobody could be shown"},
		{CallCutOff, "the call was cut by the output limit and was not run"},
		{ToolFailedCode, "the tool failed; the message says how"},
		{ToolTimeout, "the tool did not finish within its time"},
		{ToolAbandoned, "the tool did not return after it was stopped; its late result is dropped"},
		{ApprovalRequiredCode, "this tool needs a person's approval"},
		{ApprovalDenied, "a person denied the call"},
		{ApprovalExpired, "nobody decided in time; the call was not run"},
		{ApprovalCancelled, "the approval was cancelled with its run"},
		{ApprovalNotFound, "no approval has this id"},
		{ApprovalMismatch, "the decision names another digest than the one asked about"},
		{ApprovalAlreadyResolved, "somebody else decided otherwise first"},
		{ChangedSinceApproval, "what was approved has changed since; ask again"},
		{OriginRefused, "the page that asks is not served here, or the browser says that another site asks"},
		{TokenInvalid, "the token is missing, wrong, expired or revoked; pair the device again"},
		{RequestMalformed, "the request or frame was not understood; the message says what is wrong"},
		{RequestTooLarge, "the request or frame is larger than what is taken"},
		{RateLimited, "too many of these in too short a time; wait a moment"},
		{MirrorFull, "as many devices watch as the mirror takes"},
		{MirrorNeedsTLS, "approving over the network needs TLS (--mirror-tls self); without it devices can only watch"},
		{DecisionStale, "the decision was pressed too long ago; look again and press again"},
		{DecisionStopped, "the approval was stopped before it counted; look again, and press again if the question is still open"},
		{PairingWrong, "no such code is shown now"},
		{PairingUsed, "the code has been used already; ask for a new one"},
		{PairingBusy, "another device is being let in; try again in a minute"},
		{PairingRefused, "the digits typed at the terminal were not those shown on the device; ask for a new code"},
		{PairingExpired, "nobody typed the digits in time; ask for a new code"},
		{DeviceUnknown, "no device of this id is let in"},
		{PathOutsideWorkspace, "the path leads out of the workspace and the skills"},
		{PathMalformed, "the path is empty, too long or holds a NUL"},
		{PathNotFound, "there is nothing at this path"},
		{SymlinkNotAllowed, "links are not followed inside a root"},
		{NotARegularFile, "a device, FIFO or socket is never read"},
		{NotAFolder, "the path is not a folder"},
		{IsAFolder, "the path is a folder; ls lists it"},
		{ProtectedPath, "the name is on the list of protected files"},
		{BinaryFile, "the file is not text"},
		{FileTooLarge, "the file is larger than what may be read"},
		{PatternInvalid, "the pattern cannot be used; the message says where it fails"},
		{AccessDenied, "the operating system refuses access"},
		{ReadFailed, "reading failed"},
		{WriteFailed, "writing failed; the old file is untouched"},
		{RefNotFound, "the log names nothing of that kind"},
		{ImageSignatureMismatch, "the file's content, its name and its declared type do not agree"},
		{ImageUnsupported, "this kind of file is not taken; send JPEG, PNG or WebP"},
		{ImageTruncated, "the picture is cut short; send it again"},
		{ImageCorrupt, "the picture is damaged; save it anew and send that"},
		{ImageTooManyPixels, "the picture has too many pixels; make it smaller"},
		{ImageTooLarge, "the picture, or all of a session's, are over the limit in bytes"},
		{ImageTooMany, "a message takes four pictures at most"},
		{ImageEmpty, "the file is empty; choose another"},
		{ScenarioUnknown, "no scenario has this name and no file is there"},
		{ScenarioInvalid, "the scenario file has a fault; the message names file and line"},
		{SkillInvalid, "the skill has a fault; the message names file and line"},
		{ConfigInvalid, "the configuration or a flag has a fault"},
		{AccountUnknown, "no such account; the message names those there are"},
	}
}
