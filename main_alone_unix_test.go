//go:build !windows

package main

import "syscall"

// loseTerminal leaves the terminal of whoever runs the tests.
func loseTerminal() { _, _ = syscall.Setsid() }
