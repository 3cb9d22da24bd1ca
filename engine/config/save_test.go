package config_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"

	"agentstudio/engine"
	"agentstudio/engine/config"
)

func twelve() []map[string]string {
	var all []map[string]string
	for key, v := range values() {
		all = append(all, map[string]string{key: v[0]})
	}
	return all
}

// Savers at the same time all get what they want.
func TestSaversWaitForEachOther(t *testing.T) {
	at := filepath.Join(t.TempDir(), "new", "config.yaml")
	var all sync.WaitGroup
	for _, change := range twelve() {
		all.Go(func() {
			if err := config.Save(at, "c", change); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	hasAll(t, at)
}

func hasAll(t *testing.T, at string) {
	t.Helper()
	f, err := config.Read(at, "c")
	if err != nil {
		t.Fatal(err)
	}
	for key, v := range values() {
		if got := config.Merge(f).Setting(key).Value; got != v[0] {
			t.Errorf("%s is %q, want %q", key, got, v[0])
		}
	}
}

// So do savers in other processes.
func TestProcessesWaitForEachOther(t *testing.T) {
	const to = "CONFIG_TEST_SAVE_TO"
	if at := os.Getenv(to); at != "" {
		key, value, _ := strings.Cut(os.Getenv(to+"_CHANGE"), "=")
		if err := config.Save(at, "c", map[string]string{key: value}); err != nil {
			t.Fatal(err)
		}
		return
	}
	at := filepath.Join(t.TempDir(), "config.yaml")
	var all sync.WaitGroup
	for key, v := range values() {
		c := exec.Command(os.Args[0], "-test.run=^TestProcessesWaitForEachOther$")
		c.Env = append(os.Environ(), to+"="+at, to+"_CHANGE="+key+"="+v[0])
		all.Go(func() {
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	hasAll(t, at)
}

// Whoever waits too long is told, and nothing is written. What a saver that died has left is in
// nobody's way.
func TestASaverDoesNotWaitForever(t *testing.T) {
	at := filepath.Join(t.TempDir(), "config.yaml")
	link := filepath.Join(t.TempDir(), "link.yaml")
	if err := os.WriteFile(at, []byte("theme: dark\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	linked := os.Symlink(at, link) == nil
	other := flock.New(at + ".lock")
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{at, link} {
		if path == link && !linked {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			err := config.Save(path, "c", map[string]string{"ascii": "true"})
			want := "the settings could not be saved to c: another agentstudio has been saving there for 2s; try again, or stop that one"
			if engine.CodeOf(err) != engine.WriteFailed || engine.MessageOf(err) != want {
				t.Errorf("%v", err)
			}
			if d := time.Since(begun); d < 2*time.Second || d > 3*time.Second {
				t.Errorf("waited %s", d)
			}
		})
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(at + ".lock"); err != nil {
		t.Fatal(err)
	}
	if err := config.Save(at, "c", map[string]string{"ascii": "true"}); err != nil {
		t.Errorf("with a lock file that nobody holds: %v", err)
	}
	if b, err := os.ReadFile(at); string(b) != "theme: dark\nascii: true\n" {
		t.Errorf("%q, %v", b, err)
	}
	if err := os.Remove(at + ".lock"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(at+".lock", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := config.Save(at, "c", map[string]string{"ascii": "false"}); engine.CodeOf(err) != engine.WriteFailed || !strings.Contains(fmt.Sprint(err), "config.yaml.lock is not a file; take it away") {
		t.Errorf("a folder in the place of the lock: %v", err)
	}
}
