package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStoppable_TheSameSignalTwiceStopsOnce(t *testing.T) {
	seen := make(chan os.Signal, 2)
	signal.Notify(seen, syscall.SIGTERM) // a failure must not kill the tests
	defer signal.Stop(seen)
	ctx, stop := stoppable(t.Context())
	defer stop()
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	<-ctx.Done()
	<-seen
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM)) // as timeout(1) does: to the process, and to its group
	<-seen
	require.ErrorIs(t, ctx.Err(), context.Canceled)
}
