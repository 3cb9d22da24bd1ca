package words

// chatText is what the chat and the skills pane say.
func chatText(key string) (row, bool) {
	switch key {
	}
	return row{}, false
}
