package words

// composerText is what the text field, the mouse and the notifications say.
func composerText(key string) (row, bool) {
	switch key {
	}
	return row{}, false
}
