package journal

import (
	"os"
	"path/filepath"
	"strings"
)

// sweep removes what a killed process left unfinished in the session's folder: temporary files
// that were never renamed. Called with the lock held, so nobody is using them. What cannot be
// removed does no harm.
func (s *session) sweep() {
	for _, dir := range []string{s.dir, filepath.Join(s.dir, artifactsName), filepath.Join(s.dir, attachmentsName)} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if e.Type().IsRegular() && unfinished(e.Name()) {
				_ = os.Remove(filepath.Join(dir, e.Name()))
			}
		}
	}
}

// unfinished tells whether a name is one that this program gives to a file before it is whole.
func unfinished(name string) bool {
	if !strings.HasPrefix(name, ".") {
		return false
	}
	for _, begin := range []string{"." + metaName + "-", "." + holderName + "-", "." + eventsName + "-"} {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	return strings.HasSuffix(name, ".tmp")
}
