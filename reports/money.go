package reports

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Digits of the minor unit where they are not two (ISO 4217). The engine has the full table per provider; a report
// only prints, and what it prints beside the amount is always the code.
const (
	noDigits    = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
	threeDigits = "BHD IQD JOD KWD LYD OMR TND"
)

// Money prints minor units with the digits of the currency: 2014 USD is "20.14 USD", 500 JPY is "500 JPY".
func Money(minor int64, currency string) string {
	digits := 2
	switch {
	case len(currency) != 3:
		return strconv.FormatInt(minor, 10) + " minor units of " + strconv.Quote(currency)
	case strings.Contains(noDigits, currency):
		digits = 0
	case strings.Contains(threeDigits, currency):
		digits = 3
	}
	sign, text := "", strconv.FormatInt(minor, 10)
	if text[0] == '-' {
		sign, text = "-", text[1:]
	}
	if digits > 0 {
		if short := digits + 1 - len(text); short > 0 {
			text = strings.Repeat("0", short) + text
		}
		text = text[:len(text)-digits] + "." + text[len(text)-digits:]
	}
	return sign + text + " " + currency
}

// Zero says that no message and no money was damaged.
func (d *Damage) Zero() bool {
	if d == nil {
		return true
	}
	for _, minor := range d.Money {
		if minor != 0 {
			return false
		}
	}
	return d.Messages == 0
}

// Add adds what another run lost or doubled.
func (d *Damage) Add(other *Damage) {
	if other == nil {
		return
	}
	d.Messages += other.Messages
	for currency, minor := range other.Money {
		if d.Money == nil {
			d.Money = map[string]int64{}
		}
		d.Money[currency] += minor
	}
}

// Words prints the damage for people: "21.00 EUR, 500 JPY and 2 messages", or "nothing".
func (d *Damage) Words() string {
	if d.Zero() {
		return "nothing"
	}
	var parts []string
	for _, currency := range slices.Sorted(maps.Keys(d.Money)) {
		if d.Money[currency] != 0 {
			parts = append(parts, Money(d.Money[currency], currency))
		}
	}
	if d.Messages != 0 {
		parts = append(parts, Count(d.Messages, "message"))
	}
	return joined(parts)
}

// joined is "a, b and c".
func joined(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// Count is "1 run", "2,000 runs".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
