package words

// plainText is what the plain, line by line screen says.
func plainText(key string) (row, bool) {
	switch key {
	}
	return row{}, false
}
