package provider

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// verdict is a test that only notes whether it was failed.
type verdict struct {
	testing.TB
	said []string
}

func (v *verdict) Helper()                   {}
func (v *verdict) Error(a ...any)            { v.said = append(v.said, fmt.Sprint(a...)) }
func (v *verdict) Errorf(f string, a ...any) { v.said = append(v.said, fmt.Sprintf(f, a...)) }
func (v *verdict) Fatalf(f string, a ...any) { v.Errorf(f, a...); runtime.Goexit() }

// judged is what a checker says of a body.
func judged(check func(t testing.TB)) []string {
	v := &verdict{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(v)
	}()
	<-done
	return v.said
}

// TestTheCheckerOfResponsesFinds breaks a right request in one place after the other.
func TestTheCheckerOfResponsesFinds(t *testing.T) {
	const right = `{"model":"m","input":[{"role":"user","content":"a"},` + aThought + `,` + phasedB + `,` + callB + `,{"type":"function_call_output","call_id":"c1","output":""}],` +
		`"tools":[{"type":"function","name":"ls","parameters":{},"strict":false}],"include":["reasoning.encrypted_content"],"prompt_cache_key":"s","store":false,"stream":true}`
	if said := judged(func(t testing.TB) { checkResponses(t, nil, []byte(right)) }); said != nil {
		t.Fatalf("a right request: %v", said)
	}
	for _, c := range []struct{ old, new string }{
		{`"store":false,`, ``},
		{`"store":false`, `"store":true`},
		{`"stream":true`, `"stream":false`},
		{`"strict":false`, `"strict":true`},
		{`,"strict":false`, ``},
		{`"model":"m"`, `"model":""`},
		{`"model":"m"`, `"model":"m","previous_response_id":"r"`},
		{`reasoning.encrypted_content"]`, `x"]`},
		{`"prompt_cache_key":"s"`, `"prompt_cache_key":""`},
		{`"content":"a"`, `"content":""`},
		{`"content":"a"`, `"content":[{"type":"output_text","text":"a"}]`},
		{aThought + `,`, ``}, // ids without their reasoning
		{`,` + phasedB + `,` + callB + `,{"type":"function_call_output","call_id":"c1","output":""}`, ``},
		{`gAAA+/=é <b>&`, ``},
		{`"summary":[`, `"x":[`},
		{`"id":"msg_1"`, `"id":"rs_1"`},
		{`{"type":"function_call_output","call_id":"c1"`, `{"type":"function_call_output","call_id":"c2"`},
		{`,{"type":"function_call_output","call_id":"c1","output":""}`, ``},
		{`,{"type":"function_call_output","call_id":"c1","output":""}`, `,{"role":"user","content":"x"},{"type":"function_call_output","call_id":"c1","output":""}`},
		{`"output":""}`, `"output":""},{"role":"assistant","content":"x"}`},
		{`"arguments":"{\"p\":1}"`, `"arguments":"[]"`},
		{`"arguments":"{\"p\":1}"`, `"arguments":"{"`},
		{`"name":"ls","arguments"`, `"name":"","arguments"`},
		{callB, callB + `,` + strings.Replace(callB, "fc_1", "fc_2", 1)},
		{`{"role":"user"`, `{"role":"system"`},
		{`"phase":"commentary"`, `"mood":"good"`},
	} {
		broken := strings.Replace(right, c.old, c.new, 1)
		if broken == right {
			t.Errorf("%s is not in the request", c.old)
		}
		if said := judged(func(t testing.TB) { checkResponses(t, nil, []byte(broken)) }); said == nil {
			t.Errorf("%s in place of %s passes", c.new, c.old)
		}
	}
}
