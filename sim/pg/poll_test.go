package pg

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// On a given server where we are no superuser nothing can be stopped. The program still runs, waits and dies correctly there;
// that its runs replay is not promised, so it is not tested.
func TestPoll_WithoutStopModeTheProgramIsStillRunCorrectly(t *testing.T) {
	y := openToy(t)
	signals := y.server.signals
	y.server.signals = nil
	t.Cleanup(func() { y.server.signals = signals })
	for seed := range 20 {
		o := y.run(t, sim.Seeded(uint64(seed), 3, toyWeights), toyWorkers(true))
		require.NoError(t, o.err)
		require.Empty(t, o.doubled())
		require.Empty(t, o.unfinished())
		var won []string
		o = y.run(t, sim.Seeded(uint64(seed), 0, switches), twoWaiters(&won))
		require.NoError(t, o.err)
		require.Len(t, won, 1)
	}
	var err error
	o := y.run(t, sim.Plain(), blockedUntil(&err, nothingMore))
	require.NoError(t, o.err)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, 1, o.whats("cancelled"))
}
