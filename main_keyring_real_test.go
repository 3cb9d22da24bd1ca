//go:build linux

package main

import (
	"errors"
	"os"
	"testing"

	"github.com/zalando/go-keyring"
)

// The system's own keyring, where whoever runs the tests offers one: with AGENTSTUDIO_KEYRING=1 in a
// D-Bus session with a Secret Service, as gnome-keyring is one. All other tests have one in memory.
func TestSystemKeyring(t *testing.T) {
	if os.Getenv("AGENTSTUDIO_KEYRING") == "" {
		t.Skip("AGENTSTUDIO_KEYRING is not set, so no real keyring is touched")
	}
	root := t.TempDir()
	k := keeping{root: root, ring: systemKeyring{}, wait: maxKeyring}
	if where := k.keeper(t.Context()); where != inKeyring {
		t.Fatalf("keys would be kept in the %s", where)
	}
	c := chooser(root, nil, nil)
	c.keeping = k
	if _, err := c.Use(t.Context(), draft(keptBase, planted, true)); err != nil {
		t.Fatal(err)
	}
	for at, content := range filesIn(t, root) {
		if holdsKey(content) {
			t.Errorf("the key is in %s", at)
		}
	}
	next := chooser(root, nil, nil)
	next.keeping = k
	if got, err := next.inForce(t.Context()); err != nil || got.Key.Reveal() != planted || got.from["key"] != isSaved {
		t.Errorf("it comes back as %s from %q, %v", got.Key.Hint(), got.from["key"], err)
	}
	for range 2 { // the second has nothing left to remove
		if err := next.Forget(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := (systemKeyring{}).Get(root); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("it is still there: %v", err)
	}
}
