//go:build !unix

package workspace

// syncFolder has nothing to do: Windows writes a folder's changes through with the rename.
func syncFolder(string) error { return nil }
