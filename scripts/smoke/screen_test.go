package main

import "testing"

func TestThePanelIsGoneAlthoughItsCodeStays(t *testing.T) {
	for screen, want := range map[string]bool{
		"╭ APPROVAL 1 of 1 ╮":                      false,
		"✗ not run  APPROVAL_EXPIRED":              true,
		"✗ not run  APPROVAL_DENIED\n╭ APPROVAL ╮": false,
		"● idle": true,
	} {
		if got := gone(screen); got != want {
			t.Errorf("gone(%q) = %v, want %v", screen, got, want)
		}
	}
}
