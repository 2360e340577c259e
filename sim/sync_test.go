package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// engineRuntime spells the engine's Runtime, which sim can't import: drills asserts the real one.
type engineRuntime interface {
	Now() time.Time
	Mono() time.Duration
	ID() [16]byte
	Sleep(ctx context.Context, d time.Duration) error
	Spawn(ctx context.Context, name string, run func(context.Context) error) interface {
		Wait(context.Context) error
	}
	WithCancel(ctx context.Context) (context.Context, context.CancelFunc)
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	Event(name string) interface {
		Set()
		Wait(context.Context) error
	}
	Semaphore(name string, n int) interface {
		Acquire(context.Context) error
		Release()
	}
}

var _ engineRuntime = (*Process)(nil)

func TestSemaphore_PermitsGoInTheOrderOfAsking(t *testing.T) {
	var log []string
	_, err := one(t, Config{K: 1}, func(ctx context.Context, p *Process) error {
		s := p.Semaphore("pool", 1)
		var all []Waiter
		for i := range 4 {
			all = append(all, p.Spawn(ctx, fmt.Sprint("t", i), func(ctx context.Context) error {
				// They come in the order 3 2 1 0, and the first wants it again at once.
				if err := p.Sleep(ctx, time.Duration(4-i)*time.Millisecond); err != nil {
					return err
				}
				for range 2 {
					if err := s.Acquire(ctx); err != nil {
						return err
					}
					log = append(log, fmt.Sprint(i))
					p.Sleep(ctx, time.Second)
					s.Release()
				}
				return nil
			}))
		}
		for _, w := range all {
			if err := w.Wait(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"3", "2", "1", "0", "3", "2", "1", "0"}, log)
}

func TestSemaphore_WhoGaveUpGetsNoPermit(t *testing.T) {
	k, err := one(t, Config{}, func(ctx context.Context, p *Process) error {
		s := p.Semaphore("mutex", 1)
		require.NoError(t, s.Acquire(ctx))
		impatient := p.Spawn(ctx, "impatient", func(ctx context.Context) error {
			ctx, cancel := p.WithTimeout(ctx, time.Second)
			defer cancel()
			return s.Acquire(ctx)
		})
		patient := p.Spawn(ctx, "patient", func(ctx context.Context) error { return s.Acquire(ctx) })
		// Given back at the very instant of the deadline, after it: impatient has not yet left the queue.
		p.Sleep(ctx, 0)
		p.Sleep(ctx, time.Second)
		s.Release()
		require.ErrorIs(t, impatient.Wait(ctx), context.DeadlineExceeded)
		require.NoError(t, patient.Wait(ctx))
		s.Release()
		require.NoError(t, s.Acquire(ctx), "no permit was lost")
		s.Release()
		require.Panics(t, s.Release)
		return nil
	})
	require.NoError(t, err)
	require.Empty(t, k.BootErrors())
}

func TestEvent_WakesAllAndStaysSet(t *testing.T) {
	k, err := one(t, Config{}, func(ctx context.Context, p *Process) error {
		e := p.Event("drain")
		a := p.Spawn(ctx, "a", e.Wait)
		b := p.Spawn(ctx, "b", e.Wait)
		p.Sleep(ctx, time.Second)
		e.Set()
		e.Set()
		require.NoError(t, a.Wait(ctx))
		require.NoError(t, b.Wait(ctx))
		gates := p.Kernel().Stats().Gates
		require.NoError(t, e.Wait(ctx))
		require.NoError(t, a.Wait(ctx))
		require.Equal(t, gates, p.Kernel().Stats().Gates, "what needs no waiting is no gate")
		return nil
	})
	require.NoError(t, err)
	require.Empty(t, k.BootErrors())
}

func TestSpawn_WaitAnswersWhatTheTaskReturned(t *testing.T) {
	_, err := one(t, Config{}, func(ctx context.Context, p *Process) error {
		task := p.Spawn(ctx, "worker for a1", func(ctx context.Context) error {
			require.Equal(t, "worker_for_a1", TaskOf(ctx).Name())
			require.Same(t, p, TaskOf(ctx).Process())
			return errStep
		})
		require.ErrorIs(t, task.Wait(ctx), errStep)
		return nil
	})
	require.NoError(t, err)
}

func TestID_DependsOnSeedProcessLifeAndCountOnly(t *testing.T) {
	draw := func(seed uint64, name string) (ids [][16]byte) {
		_, err := play(t, Config{Seed: seed}, func(k *Kernel) {
			k.Process(name, -1, func(_ context.Context, p *Process) error {
				ids = append(ids, p.ID(), p.ID())
				return nil
			})
		})
		require.NoError(t, err)
		return ids
	}
	require.Equal(t, draw(1, "a"), draw(1, "a"))
	all := map[[16]byte]bool{}
	for _, ids := range [][][16]byte{draw(1, "a"), draw(2, "a"), draw(1, "b")} {
		for _, id := range ids {
			all[id] = true
		}
	}
	require.Len(t, all, 6)
}

func TestSkew_MovesTheHostsWallOnlyAndOutlivesTheLife(t *testing.T) {
	d := script(t, "p#0/main  sleep/1  fault  kill before")
	var walls []time.Time
	_, err := play(t, Config{Decider: d}, func(k *Kernel) {
		k.Process("p", time.Second, func(ctx context.Context, p *Process) error {
			walls = append(walls, p.Now())
			return p.Sleep(ctx, time.Second)
		}).SetSkew(-time.Minute)
	})
	require.NoError(t, err)
	require.Equal(t, []time.Time{epoch.Add(-time.Minute), epoch.Add(-59 * time.Second)}, walls)
}
