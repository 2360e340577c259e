package world

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Stripe's currencies whose minor unit is not a hundredth.
const (
	zeroDecimal  = " BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF "
	threeDecimal = " BHD IQD JOD KWD LYD OMR TND "
)

// exponent is how many digits the minor unit of a currency has at the provider.
func exponent(currency string) (int, error) {
	if len(currency) != 3 || strings.Trim(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return 0, fmt.Errorf("currency %q: accepted are three upper-case letters like USD", currency)
	}
	switch {
	case strings.Contains(zeroDecimal, " "+currency+" "):
		return 0, nil
	case strings.Contains(threeDecimal, " "+currency+" "):
		return 3, nil
	}
	return 2, nil
}

// major writes minor units as a report does: 2100 USD is 21.00, 2100 JPY is 2100.
func major(minor int64, currency string) string {
	digits, err := exponent(currency)
	if err != nil {
		panic(err) // a currency of ours: Setup and exports were checked
	}
	sign := ""
	if minor < 0 {
		sign, minor = "-", -minor
	}
	text := strconv.FormatInt(minor, 10)
	if digits == 0 {
		return sign + text
	}
	text = strings.Repeat("0", max(0, digits+1-len(text))) + text
	return sign + text[:len(text)-digits] + "." + text[len(text)-digits:]
}

// minor reads what a report writes. Everything that is not a plain decimal of at most the currency's digits is an
// error, never a zero.
func minor(text, currency string) (int64, error) {
	digits, err := exponent(currency)
	if err != nil {
		return 0, err
	}
	body, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(body, ".")
	all := whole + fraction + strings.Repeat("0", max(0, digits-len(fraction)))
	n, err := strconv.ParseInt(all, 10, 64)
	if whole == "" || len(fraction) > digits || strings.HasSuffix(body, ".") || strings.ContainsAny(all, "+-_") ||
		err != nil || n == math.MaxInt64 {
		return 0, fmt.Errorf("amount %q: accepted for %s are digits with at most %d after a point", text, currency, digits)
	}
	if negative {
		n = -n
	}
	return n, nil
}
