package drills

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/recondrill/recondrill/sim/pg"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
)

// children are the processes that a process started and that are still there.
func children(t *testing.T, parent int) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	var all []int
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has just ended
		}
		// pid (name) state parent …, where the name may hold anything
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		require.NoError(t, err)
		if fields[1] == strconv.Itoa(parent) {
			all = append(all, pid)
		}
	}
	return all
}

func TestCampaign_LeavesAFrozenServerBehindWithinSecondsAndSaysSo(t *testing.T) {
	if pg.NearestHow() != "local" {
		return // only a server on this machine can be stopped from here
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var frozen []int
	defer func() {
		for _, pid := range frozen {
			_ = syscall.Kill(pid, syscall.SIGCONT) // it was told to end long ago
		}
	}()
	var stopped time.Time
	o := CampaignOptions{Names: []string{"two-accounts"}, Seed: 1, Runs: 200, Search: "random", Postgres: "local", Servers: 1, Log: t.Logf}
	o.Events = func(e reports.Event) error {
		if _, ok := e.(reports.Run); !ok || frozen != nil {
			return nil
		}
		workers := children(t, os.Getpid())
		for _, worker := range workers {
			for _, postmaster := range children(t, worker) {
				frozen = append(append(frozen, postmaster), children(t, postmaster)...)
			}
		}
		for _, pid := range frozen {
			require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
		}
		stopped = time.Now()
		stop()
		return nil
	}
	s, err := Campaign(ctx, o)
	require.NoError(t, err)
	require.True(t, s.Interrupted)
	require.Less(t, time.Since(stopped), leaveMax)
	require.Contains(t, strings.Join(s.Reasons, "\n"), "did not answer within 3s of Ctrl-C and is left behind with its data")
}
