//go:build race

package journal

// The race detector makes everything ten times slower and has nothing to see where one goroutine
// opens a file again and again: with it, only some of the places are tried.
const (
	everyPlace = 13
	hugeInput  = 64 << 20
)
