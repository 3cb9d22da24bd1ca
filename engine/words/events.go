package words

// lookup finds a key. The tables are plain functions of the key, so there is nothing to build at
// start.
func lookup(key string) (row, bool) {
	switch key {
	case "event.run.completed":
		return row{"run completed[ · {turns} turns]", "运行完成[ · {turns} 轮]"}, true
	}
	return row{}, false
}
