//go:build unix

package workspace

import (
	"errors"
	"os"
)

// syncFolder makes a rename in the folder durable.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
