package tool

import (
	"os"
	"testing"
)

// The scripted model's tests use this answer; it must stay the real one.
func TestScenarioGoldenIsThisToolsAnswer(t *testing.T) {
	want, err := os.ReadFile("../scenario/testdata/metrics.json")
	if err != nil {
		t.Fatal(err)
	}
	_, res, err := runMetrics(t, `{"accountId":"demo-account","days":7}`)
	if err != nil {
		t.Fatal(err)
	}
	if res.Content != string(want) {
		t.Errorf("write this into engine/scenario/testdata/metrics.json:\n%s", res.Content)
	}
}
