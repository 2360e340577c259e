package simtest_test

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/recondrill/recondrill/sim/simtest"
)

func TestRapid_AFailureEndsInTheSameStory(t *testing.T) {
	for name, value := range map[string]string{"checks": "60", "seed": "3", "shrinktime": "1s", "nofailfile": "true"} {
		require.NoError(t, flag.Set("rapid."+name, value))
	}
	r := record(t, func(t testing.TB) { rapid.Check(t, simtest.Open(t, counter(readThenWrite)).Rapid) })
	require.True(t, r.failed)
	require.Contains(t, r.text(), "simtest: an increment is lost\n")
	require.Contains(t, r.text(), "counter: everything goes in turn and nothing fails, but for this:")
	require.Contains(t, r.text(), "=> an increment is lost: 1")
	require.NotContains(t, r.text(), "flaky")

	require.NoError(t, flag.Set("rapid.checks", "10"))
	rapid.Check(t, simtest.Open(t, counter(inOne)).Rapid)
}
