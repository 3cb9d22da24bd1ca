package words

// sessionsText is what the list of sessions and the palette say.
func sessionsText(key string) (row, bool) {
	switch key {
	}
	return row{}, false
}
