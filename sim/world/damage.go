package world

import (
	"bytes"
	"encoding/csv"
	"slices"
)

// What an answer may leave of a statement, given ones as well as our own. The bytes of a whole one are never touched.

// truncated loses the last row that is no payout: what is left does not tie.
func truncated(statement []byte) []byte {
	rows := records(statement)
	if i := lastMovement(rows); i > 0 {
		rows = slices.Delete(rows, i, i+1)
	}
	return bytesOf(rows)
}

// emptied is the header alone.
func emptied(statement []byte) []byte { return bytesOf(records(statement)[:1]) }

// shifted is a statement read page by page while rows moved between them: the first row comes again on the next page,
// and the last row that is no payout is on none. changed is false where there is none.
func shifted(statement []byte) (body []byte, changed bool) {
	rows := records(statement)
	i := lastMovement(rows)
	if i < 0 {
		return statement, false
	}
	first := rows[1]
	if i > 1 { // else the first is the last: it only comes twice
		rows = slices.Delete(rows, i, i+1)
	}
	return bytesOf(slices.Insert(rows, min(2, len(rows)), first)), true
}

func records(statement []byte) [][]string {
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(statement, []byte("\ufeff")))).ReadAll()
	if err != nil {
		panic(err) // we wrote it, or have read it before
	}
	return rows
}

func bytesOf(rows [][]string) []byte {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	return b.Bytes()
}

// lastMovement is the last row that is no payout, -1 without.
func lastMovement(rows [][]string) int {
	category := slices.Index(rows[0], "reporting_category")
	for i := len(rows) - 1; i > 0; i-- {
		if rows[i][category] != "payout" {
			return i
		}
	}
	return -1
}
