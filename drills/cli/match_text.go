package cli

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/match"
)

// printMatchText is the answer for people.
func printMatchText(w io.Writer, st engine.Statement, items []engine.Item, result match.Result) error {
	var out strings.Builder
	fmt.Fprintf(&out, "matched  %d of %d statement rows; %d of %d ledger entries have a partner\n", clean(result), len(st.Rows),
		len(items)-len(result.Carried), len(items))
	if st.Repeated > 0 {
		fmt.Fprintf(&out, "repeated %s of the statement, counted once\n", plural(st.Repeated, "line"))
	}
	if len(result.FeeBookings) > 0 {
		fmt.Fprintf(&out, "fees     %d taken from the statement, the ledger had none booked\n", len(result.FeeBookings))
	}
	fmt.Fprintf(&out, "breaks   %d\n", len(result.Breaks))
	if len(result.Breaks) > 0 {
		rows := [][]string{{"break", "of", "provider ref", "reference", "ledger key", ">residual", ""}}
		for _, b := range result.Breaks {
			rows = append(rows, []string{string(b.Kind), string(b.RowKind), dash(b.ProviderRef), dash(b.BusinessRef),
				dash(string(b.ItemKey)), major(b.Residual, b.Currency), string(b.Currency)})
		}
		printTable(&out, rows)
	}
	if len(result.Residual) > 0 {
		rows := [][]string{{"net total", ">provider", ">ledger", ">residual"}}
		for _, c := range result.Residual.Currencies() {
			rows = append(rows, []string{string(c), major(result.ProviderTotal[c], c), major(result.LedgerTotal[c], c),
				major(result.Residual[c], c)})
		}
		printTable(&out, rows)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// major is an amount as people read it; the currency was checked when it was read.
func major(minor int64, c engine.Currency) string {
	text, err := engine.FormatMinor(minor, c, engine.StripeExponents)
	if err != nil {
		return fmt.Sprint(minor, " minor units")
	}
	return text
}

// dash is a reference as a cell: what a terminal would not print as it is comes quoted.
func dash(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return cmp.Or(s, "-")
}

// table prints rows under a header, aligned; a header that starts with > is of a column of numbers.
func printTable(out *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	right := make([]bool, len(rows[0]))
	for i, name := range rows[0] {
		rows[0][i], right[i] = strings.CutPrefix(name, ">")
	}
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	out.WriteByte('\n')
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if right[i] {
				line += pad + cell + "  "
			} else {
				line += cell + pad + "  "
			}
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
