//go:build !windows

package main

const ttyName = "/dev/tty"
