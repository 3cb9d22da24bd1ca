package tool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"agentstudio/engine"
	"agentstudio/engine/workspace"
)

// shelf is an artifact writer in memory that can tell what it holds.
type shelf struct {
	files map[string][]byte
	fail  error
}

func (s *shelf) WriteArtifact(_ context.Context, name, mime string, content []byte) (engine.Artifact, error) {
	if s.fail != nil {
		return engine.Artifact{}, s.fail
	}
	s.files[name] = content
	return engine.Artifact{ID: "art_1", Name: name, MIME: mime, Bytes: int64(len(content)), SHA256: "feed"}, nil
}

func (s *shelf) Read(_ context.Context, name string) ([]byte, error) {
	b, ok := s.files[name]
	if !ok {
		return nil, engine.Errorf(engine.RefNotFound, "no such artifact")
	}
	return b, nil
}

func TestReportWritesWhatItShowed(t *testing.T) {
	s := &shelf{files: map[string][]byte{}}
	tool := NewReport(s)
	args := json.RawMessage(`{"title":" 账户日报 ","body":"\r\n## 账户总结\r\nROAS 2.31\n\n"}`)
	plan, err := tool.Prepare(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	const want = "# 账户日报\n\n## 账户总结\nROAS 2.31\n"
	if plan.Preview != want || plan.Risk != "writesReport" || plan.Facts["report.md"] != "none" {
		t.Errorf("plan %+v", plan)
	}
	if len(s.files) != 0 {
		t.Error("Prepare wrote something")
	}
	res, err := tool.Run(t.Context(), engine.Call{Args: args})
	if err != nil {
		t.Fatal(err)
	}
	if string(s.files["report.md"]) != want || len(res.Artifacts) != 1 || res.Artifacts[0].Name != "report.md" {
		t.Errorf("wrote %q, result %+v", s.files["report.md"], res)
	}
	again, err := tool.Prepare(t.Context(), args)
	if err != nil || again.Facts["report.md"] != digest([]byte(want)) || !strings.HasPrefix(again.Summary, "Replaces") {
		t.Errorf("second plan %+v, %v", again, err)
	}
}

func TestReportRefuses(t *testing.T) {
	tool := NewReport(&shelf{files: map[string][]byte{}})
	for _, args := range []string{
		`{}`, `{"body":""}`, `{"body":" \n "}`, `{"body":"x","title":"a\nb"}`, `{"body":"x","path":"/etc"}`, `{"body":7}`, `null`, `[]`,
		`{"body":"a\u001b[31m"}`, `{"body":"a\u0000"}`, `{"body":"a\u009b"}`, `{"body":"x","title":"` + strings.Repeat("é", 201) + `"}`,
		`{"body":"` + strings.Repeat("x", maxReport+1) + `"}`,
	} {
		if _, err := tool.Prepare(t.Context(), json.RawMessage(args)); !errors.Is(err, engine.InvalidArguments) {
			t.Errorf("%.60s: %v", args, err)
		}
	}
}

func TestReportTellsAFailedWrite(t *testing.T) {
	tool := NewReport(&shelf{fail: engine.Errorf(engine.WriteFailed, "no space left")})
	_, err := tool.Run(t.Context(), engine.Call{Args: json.RawMessage(`{"body":"x"}`)})
	if !errors.Is(err, engine.WriteFailed) {
		t.Errorf("error %v", err)
	}
	if _, err := NewReport(nil).Run(t.Context(), engine.Call{Args: json.RawMessage(`{"body":"x"}`)}); !errors.Is(err, engine.WriteFailed) {
		t.Errorf("without a place: %v", err)
	}
}

func TestReportIsBoundToTheFileItReplaces(t *testing.T) {
	artifacts := workspace.NewMemArtifacts()
	tool := NewReport(artifacts)
	args := json.RawMessage(`{"body":"new"}`)
	before, err := tool.Prepare(t.Context(), args)
	if err != nil || before.Facts["report.md"] != "none" {
		t.Fatalf("%+v, %v", before, err)
	}
	if _, err := artifacts.WriteArtifact(t.Context(), "report.md", reportMIME, []byte("old\n")); err != nil {
		t.Fatal(err)
	}
	after, err := tool.Prepare(t.Context(), args)
	if err != nil || after.Facts["report.md"] != digest([]byte("old\n")) || before.Risk != "writesReport" || after.Risk != "replacesReport" {
		t.Errorf("%+v, %v", after, err)
	}
}
