//go:build !unix

package workspace

// openFlags has nothing to add where folders hold no FIFOs.
const openFlags = 0
