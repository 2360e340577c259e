package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClocks_AStepMovesTheWallAndNothingElse(t *testing.T) {
	var log []string
	k, err := play(t, Config{}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			p.SetSkew(time.Second)
			p.StepWall(90 * time.Second)
			p.StepWall(-30 * time.Second)
			k.StepServer(-5 * time.Second)
			err := p.Sleep(ctx, time.Minute)
			log = append(log, fmt.Sprint(p.Now().Sub(epoch), " ", p.Mono(), " ", k.ServerNow().Sub(epoch), " ", k.Now().Sub(epoch)))
			return err
		})
	})
	require.NoError(t, err)
	require.Equal(t, []string{"2m1s 1m0s 55s 1m0s"}, log)
	require.Subset(t, k.History().Lines(), []string{"0.000000 p#0 stepped: +90s", "0.000000 p#0 stepped: -30s", "0.000000 server stepped: -5s"})
}

func TestClocks_DriftIsInMonoSleepsAndDeadlinesAlsoInThoseUnderWay(t *testing.T) {
	for ppm, want := range map[int][]string{
		0:       {"first 10s 10s", "under way 1m50s 1m50s", "deadline 2m0s 2m0s"},
		250000:  {"first 10s 10s", "under way 1m50s 1m30s", "deadline 2m0s 1m38s"},
		-500000: {"first 10s 10s", "under way 1m50s 3m30s", "deadline 2m0s 3m50s"},
	} {
		var log []string
		_, err := play(t, Config{}, func(k *Kernel) {
			k.Process("p", -1, func(ctx context.Context, p *Process) error {
				say := func(what string) { log = append(log, fmt.Sprint(what, " ", p.Mono(), " ", k.Since())) }
				child := p.Spawn(ctx, "child", func(ctx context.Context) error {
					err := p.Sleep(ctx, 110*time.Second)
					say("under way")
					return err
				})
				p.Sleep(ctx, 10*time.Second)
				say("first")
				p.SetDrift(ppm)
				if err := child.Wait(ctx); err != nil {
					return err
				}
				ctx, cancel := p.WithTimeout(ctx, 10*time.Second)
				defer cancel()
				require.Error(t, p.Event("never").Wait(ctx))
				say("deadline")
				return nil
			})
		})
		require.NoError(t, err)
		require.Equal(t, want, log, "%d ppm", ppm)
	}
}

func TestClocks_ASleepIsNeverShorterThanItsMonoSays(t *testing.T) {
	for _, ppm := range []int{-500_000, -300_000, -7, 3, 333, 1_000_000} {
		h := &host{drift: int64(ppm)}
		for d := time.Microsecond; d < 400*24*time.Hour; d = d*3 + 7*time.Microsecond {
			took := h.takes(d)
			require.GreaterOrEqual(t, h.ticks(took), d)
			require.Less(t, h.ticks(took-time.Microsecond), d)
		}
	}
}

func TestClocks_DriftStaysWithTheHostAndMonoBeginsAnew(t *testing.T) {
	var monos []time.Duration
	d := script(t, "p#0/main  sql:Step/1  fault  kill before")
	_, err := play(t, Config{Decider: d}, func(k *Kernel) {
		k.Process("p", time.Second, func(ctx context.Context, p *Process) error {
			if p.Life() == 0 {
				p.SetDrift(1_000_000)
			}
			p.Sleep(ctx, time.Minute)
			monos = append(monos, p.Mono(), k.Since())
			return step(ctx, k, "sql:Step")
		})
	})
	require.NoError(t, err)
	require.Equal(t, []time.Duration{time.Minute, 30 * time.Second, time.Minute, 61 * time.Second}, monos)
}

func TestClocks_ADriftOfNoClockIsAProgrammersError(t *testing.T) {
	_, err := one(t, Config{}, func(ctx context.Context, p *Process) error { p.SetDrift(-500_001); return nil })
	var panicked *Panicked
	require.ErrorAs(t, err, &panicked)
}
