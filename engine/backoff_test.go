package engine

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// B45: shifts and powers wrap to zero or below, and the queue spins.
func TestBackoff_NeverWrapsHoweverManyAttempts(t *testing.T) {
	for _, b := range []Backoff{{time.Second, time.Hour}, {time.Nanosecond, math.MaxInt64}, {math.MaxInt64, math.MaxInt64}, {}} {
		for _, jitter := range []uint16{0, 1, math.MaxUint16} {
			last := time.Duration(0)
			for _, attempt := range []int{0, 1, 2, 30, 62, 63, 64, 310, 1_000_000} {
				d := b.Delay(attempt, jitter)
				require.Positive(t, d)
				require.LessOrEqual(t, d, max(b.Max, 1))
				require.GreaterOrEqual(t, d, last)
				last = d
			}
		}
		require.Equal(t, max(b.Max, 1), b.Delay(1_000_000, 0), "it reaches the cap")
	}
}

func TestBackoff_IsBoundedAndNeverShrinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := Backoff{
			Min: time.Duration(rapid.Int64().Draw(t, "min")),
			Max: time.Duration(rapid.Int64().Draw(t, "max")),
		}
		jitter := rapid.Uint16().Draw(t, "jitter")
		attempt := rapid.IntRange(0, 1_000_000).Draw(t, "attempt")
		limit := max(b.Max, b.Min, 1)
		d, next := b.Delay(attempt, jitter), b.Delay(attempt+1, jitter)
		require.Positive(t, d)
		require.LessOrEqual(t, next, limit)
		require.GreaterOrEqual(t, next, d)
		require.GreaterOrEqual(t, d, b.Delay(attempt, math.MaxUint16), "jitter only shortens")
		require.GreaterOrEqual(t, d, b.Delay(attempt, 0)/2, "by half at most")
	})
}

func TestJitter_SpreadsAndRepeats(t *testing.T) {
	require.Equal(t, Jitter("a", 1), Jitter("a", 1))
	seen := map[uint16]bool{}
	for attempt := range 1000 {
		seen[Jitter("acme/2026-03-01", attempt)] = true
	}
	require.Greater(t, len(seen), 900)
}
