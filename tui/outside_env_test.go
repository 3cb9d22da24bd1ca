package tui

import (
	"os/exec"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestWithoutKeys(t *testing.T) {
	got := withoutKeys([]string{"PATH=/bin", "OPENAI_API_KEY=x", "llm_api_key=x", "GITHUB_TOKEN=x", "A_SECRET=x=y", "TOKEN_OF=kept", "NOTHING"})
	if want := []string{"PATH=/bin", "TOKEN_OF=kept", "NOTHING"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Another program that gets the terminal is started without them.
func TestOutsideHasNoKeys(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "planted")
	t.Setenv("KEPT_FOR_EDITORS", "yes")
	m := New(t.Context(), Options{})
	var got []string
	m.execute = func(c tea.ExecCommand, _ tea.ExecCallback) tea.Cmd {
		o, ok := c.(*outsider)
		if !ok {
			t.Fatalf("%T", c)
		}
		got = o.Env
		if err := (&outsider{Cmd: exec.Command("true"), name: o.name}).Run(); err != nil {
			t.Log(err) // the file is gone all the same
		}
		return nil
	}
	m.outside([]string{"true"}, "draft", nil)()
	if slices.Contains(got, "OPENAI_API_KEY=planted") || !slices.Contains(got, "KEPT_FOR_EDITORS=yes") {
		t.Errorf("%d variables, the key among them or others lost", len(got))
	}
}
