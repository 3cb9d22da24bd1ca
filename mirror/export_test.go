package mirror

// Routes are the ways in, for the test that goes through all of them.
func Routes() (all [][3]string) {
	names := map[act]string{anybody: "anybody", follow: "follow", decide: "decide", operate: "operate"}
	for _, r := range routes() {
		all = append(all, [3]string{r.method, r.path, names[r.need]})
	}
	return all
}
