package main

import (
	"os/exec"
	"syscall"
)

// detach takes the command's console away, so that it can ask nobody.
func detach(c *exec.Cmd) {
	const detachedProcess = 0x00000008
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess}
}
