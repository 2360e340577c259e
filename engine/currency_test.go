package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCurrency_DigitsAreTheProvidersOwn(t *testing.T) {
	for _, c := range []struct {
		code        Currency
		iso, stripe int
	}{{"USD", 2, 2}, {"EUR", 2, 2}, {"JPY", 0, 0}, {"KWD", 3, 3}, {"CLF", 4, 4}, {"ISK", 0, 2}, {"UGX", 0, 2}, {"MGA", 2, 0},
		{"HRK", 2, 2}, {"ITL", 0, 0}} {
		iso, err := ISO4217(c.code)
		require.NoError(t, err)
		stripe, err := StripeExponents(c.code)
		require.NoError(t, err)
		require.Equal(t, []int{c.iso, c.stripe}, []int{iso, stripe}, c.code)
	}
}

func TestCurrency_UnknownIsAnErrorAndNeverTwoDigits(t *testing.T) {
	for _, c := range []Currency{"", "usd", "US", "USDD", "XYZ", "D U", " US", "S A", "BEF", "$$$"} {
		for _, table := range []Exponents{ISO4217, StripeExponents} {
			_, err := table(c)
			require.ErrorContains(t, err, "accepted are", "%q", c)
		}
	}
}

func TestCurrency_NoCodeStandsTwice(t *testing.T) {
	seen := map[string]bool{}
	for _, codes := range []string{digits0, digits2, digits3, digits4} {
		for code := range strings.SplitSeq(codes, " ") {
			require.Len(t, code, 3)
			require.False(t, seen[code], code)
			seen[code] = true
		}
	}
}
