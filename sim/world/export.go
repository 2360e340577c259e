package world

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// export is one real statement: its bytes are what the provider answers for its window.
type export struct {
	name   string
	window string
	body   []byte
	rows   []row
	books  []Fact
}

// rowKinds are the words of statements and ledgers; what a provider calls otherwise is an adjustment.
var rowKinds = []string{"charge", "refund", "fee", "dispute", "dispute_reversal", "payout", "payout_reversal", "refund_failure",
	"transfer", "reserve", "adjustment"}

var (
	exportColumns = []string{"balance_transaction_id", "created_utc", "currency", "gross", "fee", "reporting_category", "source_id"}
	refColumns    = []string{"invoice_id", "payment_metadata[invoice]", "payment_metadata[order_id]"}
	exportName    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)
)

// readExports reads NAME.csv with NAME.ledger.csv, in the order of the names.
func readExports(dir string) ([]export, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("statements: %w", err)
	}
	var all []export
	keys := map[string]string{} // the file that has each key: to the ledger a key is one fact, whatever the account
	for _, entry := range entries {
		name, isExport := strings.CutSuffix(entry.Name(), ".csv")
		file := filepath.Join(dir, entry.Name())
		if statement, isLedger := strings.CutSuffix(name, ".ledger"); isLedger {
			if !slices.ContainsFunc(entries, func(o os.DirEntry) bool { return o.Name() == statement+".csv" }) {
				return nil, fmt.Errorf("%s: books of no statement; accepted is %s.csv beside it", file, statement)
			}
			continue
		}
		if !isExport {
			continue
		}
		if !exportName.MatchString(name) {
			return nil, fmt.Errorf("%s: accepted are file names of letters, digits, _ . and -, for they become an account's name", file)
		}
		e := export{name: name}
		if err := e.readStatement(file); err != nil {
			return nil, err
		}
		books := filepath.Join(dir, name+".ledger.csv")
		if err := e.readLedger(books); err != nil {
			return nil, err
		}
		for _, f := range e.books {
			if other, twice := keys[f.Key]; twice {
				return nil, fmt.Errorf("%s: column key: found %q, which is in %s too; accepted: each key once", books, f.Key, other)
			}
			keys[f.Key] = books
		}
		all = append(all, e)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("statements %s: no NAME.csv there; accepted is a directory of NAME.csv with NAME.ledger.csv", dir)
	}
	return all, nil
}

func (e *export) readStatement(file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	s, err := readSheet(file, body, exportColumns)
	if err != nil {
		return err
	}
	e.body = body
	ref := slices.IndexFunc(refColumns, func(c string) bool { _, ok := s.column[c]; return ok })
	seen := map[string]bool{}
	for i := 1; i < len(s.records); i++ {
		r := row{ID: s.text(i, "balance_transaction_id"), Account: "acct_" + e.name, Category: rowKind(s.text(i, "reporting_category")),
			Currency: strings.ToUpper(s.text(i, "currency")), Source: s.text(i, "source_id"), Charge: s.text(i, "charge_id"),
			Payout: s.text(i, "automatic_payout_id"), About: s.text(i, "description")}
		if ref >= 0 {
			r.Invoice = s.text(i, refColumns[ref])
		}
		if r.At, err = time.Parse(csvStamp, s.text(i, "created_utc")); err != nil {
			return s.wrong(i, "created_utc", "a time like 2026-03-01 09:30:00")
		}
		if r.Gross, err = minor(s.text(i, "gross"), r.Currency); err != nil {
			return s.wrong(i, "gross", err.Error())
		}
		if r.Fee, err = minor(s.text(i, "fee"), r.Currency); err != nil {
			return s.wrong(i, "fee", err.Error())
		}
		if r.ID == "" {
			return s.wrong(i, "balance_transaction_id", "an id")
		}
		if !seen[r.ID] { // the same row again is one row
			e.rows = append(e.rows, r)
		}
		seen[r.ID] = true
	}
	return nil
}

func rowKind(category string) string {
	switch {
	case slices.Contains(rowKinds, category):
		return category
	case strings.HasPrefix(category, "reserve"):
		return "reserve"
	}
	return "adjustment"
}
