package scenario

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"agentstudio/engine"
)

func bundled() fs.FS { return os.DirFS("../../fixtures/scenarios") }

func mustLoad(t testing.TB, name string) *Scenario {
	t.Helper()
	s, err := Load(name, bundled())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustParse(t testing.TB, yaml string) *Scenario {
	t.Helper()
	s, err := Parse("t.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// answer is one model call, gathered.
type answer struct {
	text, reasoning string
	calls           []engine.ToolCall
	usage           engine.Usage
	stop            engine.StopReason
	pieces          int
	err             error
}

func ask(t testing.TB, m engine.Model, r engine.Request) answer {
	t.Helper()
	var a answer
	for c, err := range m.Stream(t.Context(), r) {
		if err != nil {
			a.err = err
			continue
		}
		switch c := c.(type) {
		case engine.Text:
			a.text += string(c)
			a.pieces++
		case engine.Reasoning:
			a.reasoning += string(c)
		case engine.ToolCall:
			a.calls = append(a.calls, c)
		case engine.Usage:
			a.usage = c
		case engine.Stop:
			a.stop = c.Reason
		}
	}
	return a
}

// stage is a loop of the smallest kind: it runs the calls through a function and asks again.
type stage struct {
	model    engine.Model
	messages []engine.Message
	seq      engine.Seq
	answers  []answer
}

func (s *stage) add(m engine.Message) {
	s.seq++
	m.Seq = s.seq
	s.messages = append(s.messages, m)
}

// run sends a prompt and plays at most limit turns. It returns the last answer.
func (s *stage) run(t testing.TB, prompt string, limit int, tool func(engine.ToolCall) (string, error)) answer {
	t.Helper()
	s.add(engine.Message{Role: engine.RoleUser, Text: prompt})
	for turn := 1; ; turn++ {
		a := ask(t, s.model, engine.Request{Purpose: engine.PurposeTurn, Turn: turn, Attempt: 1, Messages: s.messages})
		s.answers = append(s.answers, a)
		m := engine.Message{Role: engine.RoleAssistant, Text: a.text}
		for _, c := range a.calls {
			m.Calls = append(m.Calls, engine.Call{ID: c.ID, Tool: c.Tool, Args: c.Args})
		}
		s.add(m)
		if a.err != nil || len(a.calls) == 0 || turn == limit {
			return a
		}
		for _, c := range a.calls {
			content, err := tool(c)
			r := engine.Message{Role: engine.RoleTool, Reply: c.ID, Tool: c.Tool, Text: content}
			if err != nil {
				r.Failed, r.Code = true, engine.CodeOf(err)
				r.Text = "not run: " + string(r.Code) + ": " + engine.MessageOf(err)
			}
			s.add(r)
		}
	}
}

// tools answers as the real ones do for the bundled scenarios; save decides about the report.
func tools(t testing.TB, save func(body string) error) func(engine.ToolCall) (string, error) {
	metrics, err := os.ReadFile("testdata/metrics.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(c engine.ToolCall) (string, error) {
		var args map[string]any
		if err := json.Unmarshal(c.Args, &args); err != nil {
			return "", engine.Errorf(engine.InvalidArguments, "unexpected end of JSON input")
		}
		switch c.Tool {
		case "mock_ads_metrics":
			if args["accountId"] != "demo-account" || args["days"] != 7.0 {
				return "", engine.Errorf(engine.InvalidArguments, "days must be from 1 to 30")
			}
			return string(metrics), nil
		case "save_report_draft":
			body, _ := args["body"].(string)
			if err := save(body); err != nil {
				return "", err
			}
			return "Saved report.md (2100 bytes, sha256 feed).", nil
		case "read":
			if path, _ := args["path"].(string); !strings.HasPrefix(path, "skill:") || strings.Contains(path, "..") {
				return "", engine.Errorf(engine.PathOutsideWorkspace, "the path leads out of the workspace")
			}
			return "---\nname: x\n---\nbody", nil
		case "ls":
			return `{"entries":[],"total":0}`, nil
		}
		return "", engine.Errorf(engine.ToolUnknown, "there is no tool %s; there are: read, grep, find, ls", c.Tool)
	}
}

func faultsOf(t testing.TB, err error) []Fault {
	t.Helper()
	if !errors.Is(err, engine.ScenarioInvalid) {
		t.Fatalf("error %v is not SCENARIO_INVALID", err)
	}
	faults, ok := engine.DetailsOf(err)["faults"].([]Fault)
	if !ok || len(faults) == 0 {
		t.Fatalf("no faults in %v", err)
	}
	return faults
}
