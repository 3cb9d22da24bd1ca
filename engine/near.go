package engine

// Near gives the word of the list that was most likely meant, "" if none is close.
func Near(word string, list []string) string {
	best, bestDistance := "", len([]rune(word))/3+2
	for _, candidate := range list {
		if d := distance([]rune(word), []rune(candidate)); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// distance counts the letters to put in, take out or change (Levenshtein).
func distance(a, b []rune) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diagonal
			if x != y {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
