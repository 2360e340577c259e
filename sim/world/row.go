package world

import (
	"bytes"
	"encoding/csv"
	"slices"
	"time"
)

// row is one balance transaction of the provider: its own truth about one movement.
type row struct {
	ID       string // txn_…
	Account  string
	Category string // charge refund dispute fee payout…
	At       time.Time
	Currency string
	Gross    int64 // signed minor units
	Fee      int64 // > 0 = taken from us
	Source   string
	Charge   string // the charge it is about, where there is one
	Customer string
	Invoice  string // payment_metadata[invoice]
	Payout   string // automatic_payout_id; empty: in no batch
	About    string // description
}

func (r row) net() int64 { return r.Gross - r.Fee }

const csvStamp = "2006-01-02 15:04:05"

var csvHeader = []string{"automatic_payout_id", "automatic_payout_effective_at_utc", "balance_transaction_id", "created_utc",
	"available_on_utc", "currency", "gross", "fee", "net", "reporting_category", "source_id", "description", "charge_id",
	"payment_metadata[invoice]"}

// writeCSV is the itemised payout report of a window's rows.
func writeCSV(rows []row, w Window) []byte {
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	lines := [][]string{csvHeader}
	for _, r := range rows {
		effective := ""
		if r.Payout != "" {
			effective = w.End.UTC().Format(csvStamp)
		}
		lines = append(lines, []string{r.Payout, effective, r.ID, r.At.UTC().Format(csvStamp), w.End.UTC().Format(csvStamp),
			r.Currency, major(r.Gross, r.Currency), major(r.Fee, r.Currency), major(r.net(), r.Currency), r.Category, r.Source,
			r.About, r.Charge, r.Invoice})
	}
	if err := out.WriteAll(lines); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	return b.Bytes()
}

// rowsOf are the rows of one account and window in the order of a report: by time, then id.
func rowsOf(all []row, account string, w Window) []row {
	var of []row
	for _, r := range all {
		if r.Account == account && !r.At.Before(w.Start) && r.At.Before(w.End) {
			of = append(of, r)
		}
	}
	slices.SortFunc(of, func(a, b row) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return bytes.Compare([]byte(a.ID), []byte(b.ID))
	})
	return of
}
