//go:build !windows

package main

import (
	"os/exec"
	"syscall"
)

// detach takes the command's controlling terminal away, so that it can ask nobody.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
