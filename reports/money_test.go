package reports_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
)

func TestMoney_HasTheCurrencysDigits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		minor    int64
		currency string
		want     string
	}{
		{2014, "USD", "20.14 USD"}, {-2014, "USD", "-20.14 USD"}, {5, "EUR", "0.05 EUR"}, {-5, "EUR", "-0.05 EUR"}, {0, "EUR", "0.00 EUR"},
		{500, "JPY", "500 JPY"}, {1500, "KWD", "1.500 KWD"}, {7, "", `7 minor units of ""`},
		{math.MinInt64, "USD", "-92233720368547758.08 USD"},
	} {
		require.Equal(t, c.want, reports.Money(c.minor, c.currency))
	}
}

func TestDamage_IsToldInWords(t *testing.T) {
	t.Parallel()
	var none *reports.Damage
	require.Equal(t, "nothing", none.Words())
	require.Equal(t, "nothing", (&reports.Damage{Money: map[string]int64{"USD": 0}}).Words())
	d := &reports.Damage{Messages: 1, Money: map[string]int64{"JPY": 500, "EUR": 2100, "USD": 0}}
	require.Equal(t, "21.00 EUR, 500 JPY and 1 message", d.Words())
	var sum reports.Damage
	sum.Add(d)
	sum.Add(d)
	sum.Add(nil)
	require.Equal(t, "42.00 EUR, 1000 JPY and 2 messages", sum.Words())
	require.Equal(t, "21.00 EUR, 500 JPY and 1 message", d.Words())
}

func TestCount_GroupsThousands(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1 run", reports.Count(1, "run"))
	require.Equal(t, "0 runs", reports.Count(0, "run"))
	require.Equal(t, "999 runs", reports.Count(999, "run"))
	require.Equal(t, "1,234,567 runs", reports.Count(1234567, "run"))
}
