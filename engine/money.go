package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseMajor reads an amount in major units ("12.34") as minor units of the provider's exponent. It accepts an
// optional minus, digits, and a point with as many digits as the currency has at most; everything else (empty,
// thousands separators, a plus, exponents, more digits, more than an int64 holds) is an error that says what would
// be accepted. It never answers zero for what is not written as zero.
func ParseMajor(text string, c Currency, exponents Exponents) (int64, error) {
	digits, err := exponents(c)
	if err != nil {
		return 0, err
	}
	body, negative := strings.CutPrefix(text, "-")
	whole, fraction, point := strings.Cut(body, ".")
	if !allDigits(whole) || point && (!allDigits(fraction) || len(fraction) > digits) {
		return 0, amountError(text, c, digits)
	}
	minor := uint64(0)
	for _, part := range [...]string{whole, fraction, strings.Repeat("0", digits-len(fraction))} {
		for i := range len(part) {
			digit := uint64(part[i] - '0')
			if minor > (math.MaxInt64-digit)/10 {
				return 0, fmt.Errorf("amount %q: too large; accepted for %s is at most %s", text, c, format(math.MaxInt64, digits))
			}
			minor = minor*10 + digit
		}
	}
	if negative {
		return -int64(minor), nil
	}
	return int64(minor), nil
}

// FormatMinor prints minor units in major units with all digits of the currency: what ParseMajor reads back.
func FormatMinor(minor int64, c Currency, exponents Exponents) (string, error) {
	digits, err := exponents(c)
	if err != nil {
		return "", err
	}
	return format(minor, digits), nil
}

func format(minor int64, digits int) string {
	sign, magnitude := "", uint64(minor)
	if minor < 0 {
		sign, magnitude = "-", -uint64(minor)
	}
	text := strconv.FormatUint(magnitude, 10)
	if digits == 0 {
		return sign + text
	}
	if missing := digits + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	return sign + text[:len(text)-digits] + "." + text[len(text)-digits:]
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func amountError(text string, c Currency, digits int) error {
	example := format(123456, digits)
	return fmt.Errorf("amount %q: accepted for %s is an optional minus, digits and at most %d after a point, like %s",
		text, c, digits, example)
}
