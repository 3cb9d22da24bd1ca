package scenario

import (
	"encoding/json"
	"slices"
	"time"

	"agentstudio/engine"

	yaml "go.yaml.in/yaml/v4"
)

// action is one thing the model does; exactly one field is set.
type action struct {
	say    text
	think  text
	call   *call
	fail   *failure
	repeat *repeat
	stop   engine.StopReason
}

type call struct {
	tool string
	args *value // nil when raw is given
	raw  string
}

// failure is a fault on purpose, in the first so many tries of a turn.
type failure struct {
	attempts   int
	status     int
	code       engine.Code
	message    string
	retryAfter time.Duration
	cut        int // characters after which the stream ends; 0 is no cut
	stall      bool
	stallFor   time.Duration // 0: until the call is given up
}

// repeat is a stream for measuring: so many pieces of so many bytes, each after a pause.
type repeat struct {
	times, size int
	every       time.Duration
	fromPrompt  bool // figures in the prompt, as in 20000x20@5ms, go before those of the file
}

const (
	maxTimes  = 1_000_000
	maxSize   = 4096
	maxRepeat = 64 << 20
)

func (r *reader) actions(n *yaml.Node, what string) []action {
	var out []action
	for _, v := range r.list(n, what) {
		m := r.fields(v, "an action", "say", "think", "call", "fail", "repeat", "stop")
		if v.Kind == yaml.MappingNode && len(v.Content) != 2 {
			r.fault(v, "an action has exactly one key; put a dash before each")
		}
		for key, n := range m {
			out = append(out, r.action(key, n))
		}
	}
	return out
}

func (r *reader) action(key string, n *yaml.Node) action {
	switch key {
	case "say":
		return action{say: r.text(n, key, true)}
	case "think":
		return action{think: r.text(n, key, true)}
	case "call":
		return action{call: r.call(n)}
	case "fail":
		return action{fail: r.failure(n)}
	case "repeat":
		return action{repeat: r.repeat(n)}
	}
	reasons := []string{string(engine.StopEnd), string(engine.StopToolUse), string(engine.StopLength), string(engine.StopContentFilter), string(engine.StopRefusal)}
	return action{stop: engine.StopReason(r.oneOf(n, "stop", reasons...))}
}

func (r *reader) call(n *yaml.Node) *call {
	m := r.fields(n, "call", "tool", "args", "raw")
	c := &call{}
	if v := m["tool"]; v != nil {
		c.tool = r.str(v, "call.tool")
		r.calls = append(r.calls, c.tool)
	} else if n.Kind == yaml.MappingNode {
		r.fault(n, "call.tool is missing")
	}
	switch {
	case m["args"] != nil && m["raw"] != nil:
		r.fault(m["raw"], "a call has either args or raw (the text that the model sends, broken or not)")
	case m["raw"] != nil:
		c.raw = r.str(m["raw"], "call.raw")
	case m["args"] != nil && m["args"].Kind != yaml.MappingNode:
		r.fault(m["args"], "call.args must be a mapping, not %s", kind(m["args"]))
	case m["args"] != nil:
		c.args = r.value(m["args"])
	default:
		c.raw = "{}"
	}
	return c
}

func (r *reader) failure(n *yaml.Node) *failure {
	m := r.fields(n, "fail", "status", "code", "message", "retryAfter", "cut", "stall", "attempts")
	f := &failure{attempts: 1}
	if v := m["status"]; v != nil {
		f.status = r.number(v, "fail.status", 400, 599)
		f.code = codeOfStatus(f.status)
	}
	if v := m["code"]; v != nil {
		f.code = engine.Code(r.oneOf(v, "fail.code", modelCodes()...))
	}
	if v := m["message"]; v != nil {
		f.message = r.str(v, "fail.message")
	}
	if v := m["retryAfter"]; v != nil {
		f.retryAfter = r.duration(v, "fail.retryAfter", 0, time.Hour)
	}
	if v := m["cut"]; v != nil {
		f.cut = r.number(v, "fail.cut", 1, maxRendered)
	}
	if v := m["stall"]; v != nil {
		f.stall = true
		if v.Value != "true" {
			f.stallFor = r.duration(v, "fail.stall", time.Millisecond, time.Hour)
		}
	}
	if v := m["attempts"]; v != nil {
		f.attempts = r.number(v, "fail.attempts", 1, 1000)
	}
	kinds := 0
	for _, set := range []bool{f.code != "", f.cut > 0, f.stall} {
		if set {
			kinds++
		}
	}
	if kinds != 1 && n.Kind == yaml.MappingNode {
		r.fault(n, "fail needs exactly one of status (or code), cut and stall")
	}
	return f
}

// modelCodes are the ways in which a model call fails; code spells what has no status of its own.
func modelCodes() []string {
	codes := []engine.Code{
		engine.ModelUnreachable, engine.ModelTLS, engine.ModelAuth, engine.ModelNotFound, engine.ModelBadRequest, engine.ModelTooLarge, engine.ModelRateLimited,
		engine.ModelQuota, engine.ModelOverloaded, engine.ModelServer, engine.ModelProtocol, engine.ModelStreamCut, engine.ContextOverflow,
	}
	words := make([]string, len(codes))
	for i, c := range codes {
		words[i] = string(c)
	}
	return words
}

// codeOfStatus takes bare numbers: net/http would bring its whole start-up into the program.
func codeOfStatus(status int) engine.Code {
	switch status {
	case 401, 403:
		return engine.ModelAuth
	case 404:
		return engine.ModelNotFound
	case 413:
		return engine.ModelTooLarge
	case 429:
		return engine.ModelRateLimited
	case 503, 529:
		return engine.ModelOverloaded
	case 408, 409:
		return engine.ModelServer
	}
	if status >= 500 {
		return engine.ModelServer
	}
	return engine.ModelBadRequest
}

func (r *reader) repeat(n *yaml.Node) *repeat {
	m := r.fields(n, "repeat", "times", "size", "every", "fromPrompt")
	p := &repeat{times: 100, size: 20}
	if v := m["times"]; v != nil {
		p.times = r.number(v, "repeat.times", 1, maxTimes)
	}
	if v := m["size"]; v != nil {
		p.size = r.number(v, "repeat.size", 1, maxSize)
	}
	if v := m["every"]; v != nil {
		p.every = r.duration(v, "repeat.every", 0, time.Minute)
	}
	if v := m["fromPrompt"]; v != nil {
		p.fromPrompt = r.truth(v, "repeat.fromPrompt")
	}
	return p
}

// value is an argument: a text with templates, a list, a mapping, or JSON as it stands.
type value struct {
	text   text
	list   []*value
	keys   []string
	fields []*value
	fixed  json.RawMessage
}

func (r *reader) value(n *yaml.Node) *value {
	switch n.Kind {
	case yaml.SequenceNode:
		v := &value{list: []*value{}}
		for _, c := range n.Content {
			v.list = append(v.list, r.value(c))
		}
		return v
	case yaml.MappingNode:
		if isText(n) {
			return &value{text: r.text(n, "a text of args", true)}
		}
		v := &value{keys: []string{}}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key := n.Content[i].Value; slices.Contains(v.keys, key) {
				r.fault(n.Content[i], "%q is there twice", clip(key))
			} else {
				v.keys = append(v.keys, key)
				v.fields = append(v.fields, r.value(n.Content[i+1]))
			}
		}
		return v
	}
	var plain any
	if slices.Contains([]string{"!!int", "!!float", "!!bool", "!!null"}, n.Tag) && n.Decode(&plain) == nil {
		if b, err := json.Marshal(plain); err == nil {
			return &value{fixed: b}
		}
	}
	return &value{text: text{"": r.template(n, n.Value)}}
}

// isText tells a text in two languages from an object: it has exactly the languages as keys.
func isText(n *yaml.Node) bool {
	if len(n.Content) != 2*len(langs()) {
		return false
	}
	for i := 0; i < len(n.Content); i += 2 {
		if !slices.Contains(langs(), n.Content[i].Value) {
			return false
		}
	}
	return true
}

// templates are all templates of an action, in every language.
func (a action) templates() []*template {
	out := a.say.all()
	out = append(out, a.think.all()...)
	if a.call != nil && a.call.args != nil {
		out = append(out, a.call.args.templates()...)
	}
	return out
}

func (t text) all() []*template {
	var out []*template
	for _, v := range t {
		out = append(out, v)
	}
	return out
}

func (v *value) templates() []*template {
	out := v.text.all()
	for _, c := range slices.Concat(v.list, v.fields) {
		out = append(out, c.templates()...)
	}
	return out
}

// standardOtherwise is what a file without otherwise says to a prompt that it has no answer for.
func standardOtherwise() []action {
	return []action{{say: text{
		"en": plainTemplate("I am a scripted model: I play one scenario and have no answer to this. Press Ctrl+D, or type /demo, to fill in its prompt, then Enter. For free questions, configure a real model in the settings (F2)."),
		"zh": plainTemplate("我是按脚本运行的模型：只会演示一个场景，这句话没有对应的回答。按 Ctrl+D 或输入 /demo 填入演示提示词，再按 Enter 发送。想自由提问，请在设置（F2）里配置真实模型。"),
	}}}
}

func standardSummary() []action {
	return []action{{say: text{
		"en": plainTemplate("Summary by the scripted model: the request and the results of the tools so far stand in the log; the script goes on by itself."),
		"zh": plainTemplate("脚本模型的摘要：此前的请求与工具结果都在日志中；脚本会自行继续。"),
	}}}
}
