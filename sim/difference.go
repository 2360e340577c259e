package sim

// Difference names the first line in which two histories part, counted from 1. Where one ends earlier, its side is
// empty.
func Difference(a, b *History) (line int, left, right string, same bool) {
	for i := range max(len(a.Entries), len(b.Entries)) {
		left, right = entryLine(a, i), entryLine(b, i)
		if left != right {
			return i + 1, left, right, false
		}
	}
	return 0, "", "", true
}

func entryLine(h *History, i int) string {
	if i >= len(h.Entries) {
		return ""
	}
	return h.Entries[i].String()
}
