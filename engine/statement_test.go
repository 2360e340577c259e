package engine

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTotals_PanicRatherThanWrap(t *testing.T) {
	sum := Totals{}
	sum.Add("USD", math.MaxInt64)
	require.Panics(t, func() { sum.Add("USD", 1) })
	sum.Add("USD", -5)
	sum.Add("EUR", math.MinInt64)
	require.Panics(t, func() { sum.Add("EUR", -1) })
	require.Equal(t, []Currency{"EUR", "USD"}, sum.Currencies())
}

func TestItem_WithoutABookedFeeHoldsItsGross(t *testing.T) {
	fee := int64(86)
	require.EqualValues(t, 2100, Item{Amount: 2100}.Net())
	require.EqualValues(t, 2014, Item{Amount: 2100, Fee: &fee}.Net())
	require.EqualValues(t, 2014, Row{Amount: 2100, Fee: 86}.Net())
}

func TestRawStatement_AnotherByteIsAnotherHash(t *testing.T) {
	require.NotEqual(t, RawStatement{Body: []byte("a")}.Hash(), RawStatement{Body: []byte("b")}.Hash())
	require.Len(t, RawStatement{}.Hash(), 64)
}
