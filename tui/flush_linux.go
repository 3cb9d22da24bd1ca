package tui

import "golang.org/x/sys/unix"

// flushInput empties the queue of what a terminal has sent. What isn't one has none.
func flushInput(fd uintptr) { _ = unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) }
