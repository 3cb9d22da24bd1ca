//go:build !race

package journal

const (
	everyPlace = 1
	hugeInput  = 1 << 30
)
