package words

// timelineText is what the timeline and the inspector say.
func timelineText(key string) (row, bool) {
	switch key {
	}
	return row{}, false
}
