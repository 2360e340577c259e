package sim

// Difference names the first line in which two histories part, counted from 1. Where one ends earlier, its side is
// empty.
func Difference(a, b *History) (line int, left, right string, same bool) {
	return Parting(a.Lines(), b.Lines())
}

// Parting is Difference of two histories as they were printed (History.Lines), for who has only that of one of them.
func Parting(a, b []string) (line int, left, right string, same bool) {
	for i := range max(len(a), len(b)) {
		left, right = lineOf(a, i), lineOf(b, i)
		if left != right {
			return i + 1, left, right, false
		}
	}
	return 0, "", "", true
}

func lineOf(lines []string, i int) string {
	if i >= len(lines) {
		return ""
	}
	return lines[i]
}
