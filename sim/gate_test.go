package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOffered_ADurationMayBeAnyLength(t *testing.T) {
	g := Gate{Offers: []Offer{{Fault, Value{"stall", "120s"}}, {Fault, killAfter}, {Latency, Value{Verb: "91s"}}, {Outcome, Value{"timeout,", "effect later 60s"}}}}
	require.True(t, g.Offered(Fault, Value{"stall", "7s"}))
	require.True(t, g.Offered(Fault, Value{"stall", "1m30.5s"}))
	require.True(t, g.Offered(Latency, Value{Verb: "5s"}))
	require.True(t, g.Offered(Outcome, Value{"timeout,", "effect later 5s"}))
	require.True(t, g.Offered(Fault, killAfter))
	for _, v := range []Value{{"stall", "-1s"}, {"stall", "0s"}, {"stall", "long"}, {"suspend", "120s"}, {"kill", "7s"}, killBefore} {
		require.False(t, g.Offered(Fault, v), v)
	}
	require.False(t, g.Offered(Outcome, Value{"stall", "120s"}), "of another class")
	require.False(t, g.Offered(Outcome, Value{"timeout,", "effect now"}))
}

func TestSeconds_PrintsAsValuesSpellIt(t *testing.T) {
	require.Equal(t, "91s", Seconds(91*time.Second))
	require.Equal(t, "0s", Seconds(0))
	require.Equal(t, "1.5s", Seconds(1500*time.Millisecond))
}
