//go:build unix

package workspace

import "syscall"

// openFlags keep an open from waiting for a FIFO's writer.
const openFlags = syscall.O_NONBLOCK
