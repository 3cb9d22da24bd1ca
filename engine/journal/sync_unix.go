//go:build !windows

package journal

import (
	"errors"
	"os"
	"syscall"
)

// syncDir makes the names in a folder durable. A file system that cannot sync folders is taken as
// one that need not.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
