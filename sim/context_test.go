package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWithTimeout_EndsWhatSleepsWaitsOrIsAboutToCall(t *testing.T) {
	effects := 0
	d := script(t, "p#0/main  call:provider refund(x)/1  latency  60s")
	k, err := play(t, Config{Decider: d, Latencies: []time.Duration{time.Minute}}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			for name, do := range map[string]func(context.Context) error{
				"sleep": func(ctx context.Context) error { return p.Sleep(ctx, time.Hour) },
				"event": func(ctx context.Context) error { return p.Event("e").Wait(ctx) },
				"call": func(ctx context.Context) error {
					_, err := k.Call(ctx, Call{Actor: "provider", Label: "refund(x)", Do: func(Value, time.Time) { effects++ }})
					return err
				},
			} {
				began := p.Mono()
				c, cancel := p.WithTimeout(ctx, 30*time.Second)
				require.ErrorIs(t, do(c), context.DeadlineExceeded, name)
				require.Equal(t, 30*time.Second, p.Mono()-began, name)
				require.ErrorIs(t, c.Err(), context.DeadlineExceeded)
				require.ErrorIs(t, context.Cause(c), context.DeadlineExceeded)
				require.ErrorIs(t, do(c), context.DeadlineExceeded, "and at once from then on")
				cancel()
			}
			return nil
		})
	})
	require.NoError(t, err)
	require.Zero(t, effects)
	require.Empty(t, d.Unused())
	require.Empty(t, k.BootErrors())
}

func TestWithTimeout_ChildrenDeriveAndCancelledOnesLeaveNoTimer(t *testing.T) {
	k, err := one(t, Config{}, func(ctx context.Context, p *Process) error {
		outer, cancelOuter := p.WithTimeout(ctx, time.Minute)
		inner, cancelInner := p.WithTimeout(outer, time.Hour)
		other, cancelOther := p.WithCancel(outer)
		std, cancelStd := context.WithCancel(inner)
		defer cancelStd()
		cancelOther()
		require.ErrorIs(t, other.Err(), context.Canceled)
		require.NoError(t, outer.Err())
		require.ErrorIs(t, p.Sleep(inner, time.Hour), context.DeadlineExceeded)
		require.Equal(t, time.Minute, p.Mono())
		require.ErrorIs(t, std.Err(), context.DeadlineExceeded)
		cancelInner()
		cancelOuter()
		_, cancel := p.WithTimeout(ctx, 30*time.Minute)
		cancel()
		late, cancelLate := p.WithTimeout(inner, time.Second)
		defer cancelLate()
		require.ErrorIs(t, late.Err(), context.DeadlineExceeded)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, time.Minute, k.Since())
	require.Empty(t, k.BootErrors())
}

func TestScope_ChildrenEndInTheOrderInWhichTheyWereMade(t *testing.T) {
	// context.WithCancel ends its children in the order of a map: with 16 of them this fails nearly always.
	var order []int
	_, err := one(t, Config{}, func(ctx context.Context, p *Process) error {
		parent, cancel := p.WithCancel(ctx)
		for i := range 16 {
			child, _ := p.WithCancel(parent)
			child.(*scope).on(func(error, bool) { order = append(order, i) })
		}
		cancel()
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, order)
}

func TestScope_AForeignContextBetweenIsNoticedBeforeTimeMoves(t *testing.T) {
	k, err := one(t, Config{}, func(ctx context.Context, p *Process) error {
		foreign, cancel := context.WithCancel(ctx)
		inner, cancelInner := p.WithCancel(foreign)
		defer cancelInner()
		w := p.Spawn(ctx, "canceller", func(ctx context.Context) error { cancel(); return nil })
		require.ErrorIs(t, p.Sleep(inner, time.Hour), context.Canceled)
		return w.Wait(ctx)
	})
	require.NoError(t, err)
	require.Zero(t, k.Since())
	require.Empty(t, k.BootErrors())
}

func TestScope_CancelWakesASleeperInTheSameInstant(t *testing.T) {
	var log []string
	_, err := one(t, Config{}, func(ctx context.Context, p *Process) error {
		c, cancel := p.WithCancel(ctx)
		w := p.Spawn(c, "sleeper", func(ctx context.Context) error {
			err := p.Sleep(ctx, time.Hour)
			log = append(log, fmt.Sprint(p.Mono(), " ", err))
			return nil
		})
		p.Sleep(ctx, time.Second)
		cancel()
		return w.Wait(ctx)
	})
	require.NoError(t, err)
	require.Equal(t, []string{"1s context canceled"}, log)
}
