//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package tui

// flushInput does nothing here: the console's records are Bubble Tea's.
func flushInput(uintptr) {}
