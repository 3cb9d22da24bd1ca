package page

// Source is the script before it is made small.
func Source() ([]byte, error) { return source() }
