package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/node"
)

func TestIdle_AWakeEndsTheWaitOrSparesTheNext(t *testing.T) {
	t.Parallel()
	rt := node.NewRuntime()
	idle := engine.NewIdle(rt)
	idle.Wake()
	require.NoError(t, idle.Wait(t.Context(), time.Hour))
	waiting := rt.Spawn(t.Context(), "waiter", func(ctx context.Context) error { return idle.Wait(ctx, time.Hour) })
	require.Eventually(t, func() bool {
		idle.Wake()
		ctx, cancel := rt.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		return waiting.Wait(ctx) == nil
	}, 10*time.Second, time.Millisecond)
}

func TestIdle_ADrainEndsTheWaitAndItsWatcherIsWaitedFor(t *testing.T) {
	t.Parallel()
	rt := node.NewRuntime()
	idle, drain := engine.NewIdle(rt), rt.Event("drain")
	stop := idle.Follow(t.Context(), "drain", drain)
	require.False(t, idle.Draining())
	drain.Set()
	require.NoError(t, idle.Wait(t.Context(), time.Hour))
	require.Eventually(t, idle.Draining, 10*time.Second, time.Millisecond)
	stop()
	other := engine.NewIdle(rt)
	other.Follow(t.Context(), "drain", rt.Event("never"))()
	require.False(t, other.Draining())
}

func TestIdle_AnEndedContextIsTheOnlyError(t *testing.T) {
	t.Parallel()
	rt := node.NewRuntime()
	ctx, cancel := rt.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, engine.NewIdle(rt).Wait(ctx, time.Hour), context.Canceled)
}
