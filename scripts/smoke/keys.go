package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// plantedKey is a key that no pattern of keys knows, with signs that each way of writing changes.
const plantedKey = `Pl4nted/K3y+of"the&smoke%test==`

// keyStaysInside lets the studio speak to a server with a key of the environment, which the server
// needs and shows to everybody when it refuses; an editor and a pager run meanwhile and write down
// their environment and the command lines of all processes. The key is in none of it, nor on the
// screen, nor in any file.
func keyStaysInside(binary, state string) error {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if asked++; asked == 1 && key == plantedKey {
			fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"The key fits.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
			return
		}
		said, _ := json.Marshal(map[string]any{"error": map[string]string{"message": "no such key: " + strings.Join(keySpellings(), " ")}})
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write(said)
	}))
	defer server.Close()
	seen := filepath.Join(state, "seen")
	script := fmt.Sprintf("#!/bin/sh\n{ env; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\000' '\\n'; } > '%s'\nprintf 'from the editor' > \"$1\"\n", seen)
	if err := os.WriteFile(filepath.Join(state, "editor"), []byte(script), 0o700); err != nil {
		return err
	}
	t, err := openWith([]string{"LLM_BASE_URL=" + server.URL + "/v1", "AGENT_MODEL=m", "LLM_API_KEY=" + plantedKey, "OPENAI_API_KEY=" + plantedKey,
		"ANTHROPIC_API_KEY=" + plantedKey, "OTHER_MODEL_API_KEY=" + plantedKey}, binary, state, 120, 32, "--theme", "dark", "--allow-localhost-models")
	if err != nil {
		return err
	}
	defer t.close()
	err = errors.Join(t.await("Message"), t.press("hello\r"), t.await("The key fits."), t.await("run completed"), t.press("again\r"), t.await("MODEL_AUTH"),
		t.press("\x0f"), t.await("› from the editor"), t.press(ctrlQ), ended(t), t.restored())
	if err != nil {
		return err
	}
	if env, err := os.ReadFile(seen); err != nil || !strings.Contains(string(env), "TERM=") || !strings.Contains(string(env), "--allow-localhost-models") {
		return fmt.Errorf("the editor wrote down too little (%w):\n%s", err, env)
	}
	return errors.Join(noKey("the terminal", t.written()), noKeyBelow(state))
}

// keySpellings are the forms in which the key could get out.
func keySpellings() []string {
	quoted, _ := json.Marshal(plantedKey) // a string always encodes
	return []string{plantedKey, url.QueryEscape(plantedKey), url.PathEscape(plantedKey), strings.Trim(string(quoted), `"`),
		base64.StdEncoding.EncodeToString([]byte(plantedKey)), base64.RawURLEncoding.EncodeToString([]byte(plantedKey))}
}

func noKey(where, text string) error {
	for _, s := range keySpellings() {
		if i := strings.Index(text, s); i >= 0 {
			return fmt.Errorf("the key is in %s: …%s…", where, text[max(0, i-80):min(len(text), i+len(s)+20)])
		}
	}
	return nil
}

// noKeyBelow looks into every file of the state directory, what the editor wrote down included.
func noKeyBelow(state string) error {
	return filepath.WalkDir(state, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(at)
		return errors.Join(err, noKey(at, string(b)))
	})
}
