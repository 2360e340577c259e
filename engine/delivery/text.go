package delivery

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Words are what a template may say. A field that is not here is an error, never an empty word.
type Words struct {
	Customer string
	Kind     string
	Invoices []InvoiceWords // by invoice
	Totals   []MoneyWords   // by currency
}

// InvoiceWords is one invoice of a message.
type InvoiceWords struct {
	ID       string
	Step     string // the latest of its steps that the message covers
	DueOn    string // 2026-03-09, in the account's zone
	Open     string // major units, like 20.14
	Currency string
}

// MoneyWords is an amount in major units.
type MoneyWords struct{ Amount, Currency string }

// wordsOf says what is left of an intent's pairs.
func wordsOf(f postgres.IntentFacts, left []postgres.Pair, exponents engine.Exponents) (Words, error) {
	w := Words{Customer: string(f.Customer), Kind: f.Kind}
	totals := engine.Totals{}
	var currencies []engine.Currency
	for i, p := range left {
		if i+1 < len(left) && left[i+1].Invoice == p.Invoice {
			continue // pairs come by invoice and step due: the last one speaks
		}
		open := p.AmountMinor - p.PaidMinor
		text, err := engine.FormatMinor(open, p.Currency, exponents)
		if err != nil {
			return Words{}, fmt.Errorf("invoice %s: %w", p.Invoice, err)
		}
		w.Invoices = append(w.Invoices, InvoiceWords{ID: string(p.Invoice), Step: string(p.Step), DueOn: p.DueOn,
			Open: text, Currency: string(p.Currency)})
		if _, seen := totals[p.Currency]; !seen {
			currencies = append(currencies, p.Currency)
		}
		totals[p.Currency] += open
	}
	slices.Sort(currencies)
	for _, c := range currencies {
		text, err := engine.FormatMinor(totals[c], c, exponents)
		if err != nil {
			return Words{}, err
		}
		w.Totals = append(w.Totals, MoneyWords{text, string(c)})
	}
	return w, nil
}

// render makes the bytes of a message: deterministic, so that the same words under the same version have one hash.
func render(t postgres.Template, address string, w Words) (postgres.Content, error) {
	c := postgres.Content{Address: address}
	for _, part := range []struct {
		name, text string
		into       *string
	}{{"subject", t.Subject, &c.Subject}, {"body", t.Body, &c.Body}} {
		parsed, err := template.New(part.name).Option("missingkey=error").Parse(part.text)
		if err != nil {
			return postgres.Content{}, fmt.Errorf("template %s: %w", t.Version, err)
		}
		var b strings.Builder
		if err := parsed.Execute(&b, w); err != nil {
			return postgres.Content{}, fmt.Errorf("template %s: %w", t.Version, err)
		}
		*part.into = b.String()
	}
	c.Hash = hash(c)
	return c, nil
}

func hash(c postgres.Content) string {
	sum := sha256.New()
	for _, part := range []string{c.Address, c.Subject, c.Body} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// CheckTemplate renders a version with made-up words, before it is approved: what cannot be rendered is refused there
// and not one intent at a time.
func CheckTemplate(t postgres.Template) error {
	w := Words{Customer: "customer", Kind: t.Kind,
		Invoices: []InvoiceWords{{ID: "invoice", Step: "due-3", DueOn: "2026-03-09", Open: "20.14", Currency: "USD"}},
		Totals:   []MoneyWords{{"20.14", "USD"}}}
	c, err := render(t, "address", w)
	switch {
	case err != nil:
		return err
	case strings.TrimSpace(c.Body) == "":
		return fmt.Errorf("template for %s %s: the body renders to nothing; accepted is a text over delivery.Words", t.Channel, t.Kind)
	case strings.ContainsAny(c.Subject, "\r\n"):
		return fmt.Errorf("template for %s %s: the subject has a line break; accepted is one line", t.Channel, t.Kind)
	}
	return nil
}
