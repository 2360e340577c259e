package engine

import (
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParseMajor_ReadsWhatItAccepts(t *testing.T) {
	for _, c := range []struct {
		text string
		code Currency
		want int64
	}{
		{"21.00", "USD", 2100}, {"-20.14", "USD", -2014}, {"0.86", "USD", 86}, {"5", "USD", 500}, {"5.1", "USD", 510},
		{"0", "USD", 0}, {"-0.00", "USD", 0}, {"1200", "JPY", 1200}, {"1.234", "KWD", 1234}, {"007.50", "EUR", 750},
		{"92233720368547758.07", "USD", math.MaxInt64}, {"-92233720368547758.07", "USD", -math.MaxInt64},
	} {
		got, err := ParseMajor(c.text, c.code, ISO4217)
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.text)
	}
}

func TestParseMajor_RefusesAndSaysWhatIsAccepted(t *testing.T) {
	for _, text := range []string{"", " ", "-", "+1", "1,234.5", "1e3", ".5", "5.", "1.234", "--1", "- 1", "1 ", "0x10", "NaN",
		"١٢", "12.3.4", "1_000", "92233720368547758.08", strings.Repeat("9", 400)} {
		got, err := ParseMajor(text, "USD", ISO4217)
		require.ErrorContains(t, err, "accepted for USD", "%q", text)
		require.Zero(t, got)
	}
	_, err := ParseMajor("100.0", "JPY", ISO4217)
	require.ErrorContains(t, err, "at most 0 after a point, like 123456")
	_, err = ParseMajor("1.00", "usd", ISO4217)
	require.ErrorContains(t, err, "ISO 4217")
}

func TestFormatMinor_IsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom([]Currency{"USD", "JPY", "KWD", "CLF"}).Draw(t, "currency")
		minor := rapid.Int64Min(-math.MaxInt64).Draw(t, "minor")
		text, err := FormatMinor(minor, c, ISO4217)
		require.NoError(t, err)
		back, err := ParseMajor(text, c, ISO4217)
		require.NoError(t, err)
		require.Equal(t, minor, back)
	})
	text, err := FormatMinor(math.MinInt64, "USD", ISO4217)
	require.NoError(t, err)
	require.Equal(t, "-92233720368547758.08", text)
}

// FuzzParseMajor compares with math/big: accepted exactly when the grammar and the range say so, with that value.
func FuzzParseMajor(f *testing.F) {
	for _, s := range []string{"1,234.5", "", "1e3", "-", "0.00", "-12.3", "92233720368547758.08", "00", "1.", "1.234"} {
		f.Add(s, uint8(0))
	}
	codes := []Currency{"USD", "JPY", "KWD", "CLF"}
	grammar := regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	f.Fuzz(func(t *testing.T, text string, pick uint8) {
		code := codes[int(pick)%len(codes)]
		digits, err := ISO4217(code)
		require.NoError(t, err)
		got, err := ParseMajor(text, code, ISO4217)

		_, fraction, _ := strings.Cut(text, ".")
		if !grammar.MatchString(text) || len(fraction) > digits {
			require.Error(t, err)
			return
		}
		want, ok := new(big.Rat).SetString(text)
		require.True(t, ok)
		want.Mul(want, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)))
		require.True(t, want.IsInt())
		if new(big.Int).Abs(want.Num()).Cmp(big.NewInt(math.MaxInt64)) > 0 {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, want.Num().Int64(), got)
	})
}
