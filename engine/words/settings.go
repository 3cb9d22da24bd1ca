package words

// settingsText is what the settings and the config file's checks say.
func settingsText(key string) (row, bool) {
	switch key {
	}
	return row{}, false
}
