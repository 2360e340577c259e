package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// steps passes n gates and writes down whose turn it was.
func steps(k *Kernel, order *[]string, name string, n int) func(context.Context, *Process) error {
	return func(ctx context.Context, p *Process) error {
		for range n {
			if _, err := k.Pass(ctx, Gate{Address: Address{Label: "sql:Step"}, Kind: Statement}); err != nil {
				return err
			}
			*order = append(*order, name)
		}
		return nil
	}
}

func play(t *testing.T, c Config, build func(k *Kernel)) (*Kernel, error) {
	c.Epoch = epoch
	k := New(c)
	t.Cleanup(k.Close)
	build(k)
	return k, k.Run(context.Background(), time.Hour)
}

// script is a decider from lines of a script.
func script(t *testing.T, lines string) *RecordedDecider {
	s, err := ParseScript("version  1\n\n" + lines)
	require.NoError(t, err)
	return Recorded(s)
}

func TestPlain_SameTaskGoesOnUntilItEnds(t *testing.T) {
	var order []string
	_, err := play(t, Config{}, func(k *Kernel) {
		k.Process("a", -1, steps(k, &order, "a", 3))
		k.Process("b", -1, steps(k, &order, "b", 2))
	})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "a", "a", "b", "b"}, order)
}

func TestPlain_AtMostKMovesThenRoundRobin(t *testing.T) {
	var order []string
	_, err := play(t, Config{K: 2}, func(k *Kernel) {
		k.Process("a", -1, steps(k, &order, "a", 4))
		k.Process("b", -1, steps(k, &order, "b", 2))
		k.Process("c", -1, steps(k, &order, "c", 3))
	})
	require.NoError(t, err)
	// The start is a move as well: two moves are one step at first, then two.
	require.Equal(t, []string{"a", "b", "c", "a", "a", "b", "c", "c", "a"}, order)
}

func TestThen_NamesAnotherEnabledActor(t *testing.T) {
	var order []string
	d := script(t, "a#0/main  sql:Step/2  then  c#0/main\nc#0/main  sql:Step/1  then  nobody")
	k, err := play(t, Config{Decider: d}, func(k *Kernel) {
		k.Process("a", -1, steps(k, &order, "a", 3))
		k.Process("b", -1, steps(k, &order, "b", 1))
		k.Process("c", -1, steps(k, &order, "c", 2))
	})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "c", "c", "a", "a", "b"}, order)
	require.Len(t, k.History().Used, 1)
	require.Len(t, d.Unused(), 1, "an actor that is not enabled means plain")
}

// asked counts the questions of a run.
type asked struct {
	Decider
	times map[question]int
}

func (a asked) Decide(g Gate, c Class) Value {
	a.times[question{g.Address, c}]++
	if c == Then && len(g.Offers) == 0 {
		panic("then without anybody else")
	}
	return a.Decider.Decide(g, c)
}

func (a asked) requireOnce(t *testing.T) {
	require.NotEmpty(t, a.times)
	for q, n := range a.times {
		require.Equal(t, 1, n, "%v", q)
	}
}

func TestDecider_IsAskedEachQuestionOnceAndAskingChangesNothing(t *testing.T) {
	a := asked{plain{}, map[question]int{}}
	k, _ := playToy(t, a)
	a.requireOnce(t)
	plain, _ := playToy(t, Plain())
	require.Equal(t, plain.History().Hash(), k.History().Hash())
	a = asked{Seeded(4, 3, toyWeights), map[question]int{}}
	playToy(t, a)
	a.requireOnce(t)
	// A task that stands still at the end of its move, not at a gate, is no new question.
	a = asked{script(t, "w1#0/main  wait sql:Lock/1  fault  stall 600s"), map[question]int{}}
	_, _, err := lockers(t, Config{Decider: a, Stalls: []time.Duration{time.Minute}}, &table{}, 4, time.Second)
	require.NoError(t, err)
	a.requireOnce(t)
}

type obstinate struct{ v Value }

func (o obstinate) Decide(Gate, Class) Value { return o.v }

func TestDecider_AValueThatIsNotOfferedIsThePlainOne(t *testing.T) {
	k, _ := playToy(t, obstinate{Value{"cut", "before"}})
	require.Empty(t, k.History().Used)
	plain, _ := playToy(t, Plain())
	require.Equal(t, plain.History().Hash(), k.History().Hash())
}

func TestClock_MovesOnlyWhenNobodyIsEnabled(t *testing.T) {
	var seen []string
	k, err := play(t, Config{K: 1}, func(k *Kernel) {
		k.Process("sleeper", -1, func(ctx context.Context, p *Process) error {
			err := p.Sleep(ctx, time.Nanosecond)
			seen = append(seen, fmt.Sprint("woke at ", p.Mono()))
			return err
		})
		k.Process("busy", -1, steps(k, &seen, "step", 3))
	})
	require.NoError(t, err)
	require.Equal(t, []string{"step", "step", "step", "woke at 1µs"}, seen)
	require.Equal(t, time.Microsecond, k.Since())
}

// sleepers sleep in two parts until the same instant; the last made has the first timer for it.
func sleepers(k *Kernel, order *[]string) {
	for i, name := range []string{"a", "b", "c"} {
		k.Process(name, -1, func(ctx context.Context, p *Process) error {
			first := time.Duration(300-100*i) * time.Millisecond
			if err := p.Sleep(ctx, first); err != nil {
				return err
			}
			err := p.Sleep(ctx, time.Second-first)
			*order = append(*order, name)
			return err
		})
	}
}

func TestClock_SimultaneousTimersFireInOrderOfCreation(t *testing.T) {
	var order []string
	_, err := play(t, Config{}, func(k *Kernel) { sleepers(k, &order) })
	require.NoError(t, err)
	require.Equal(t, []string{"c", "b", "a"}, order)
}

func TestClock_SimultaneousTimersAreReorderedByDecision(t *testing.T) {
	var order []string
	d := script(t, "clock  at 1s/1  then  a#0/main")
	_, err := play(t, Config{Decider: d}, func(k *Kernel) { sleepers(k, &order) })
	require.NoError(t, err)
	require.Equal(t, []string{"a", "c", "b"}, order)
	require.Empty(t, d.Unused())
}

func TestLatency_PutsATaskToSleepAtItsGate(t *testing.T) {
	for value, want := range map[string]string{"90s": "1m30s", "17s": "17s", "next timer": "10s"} {
		var at time.Duration
		d := script(t, "p#0/main  sql:Step/1  latency  "+value)
		_, err := play(t, Config{Decider: d, Latencies: []time.Duration{NextTimer, 90 * time.Second}}, func(k *Kernel) {
			k.World("timer", func(ctx context.Context) error { return k.SleepWorld(ctx, 10*time.Second) })
			k.Process("p", -1, func(ctx context.Context, p *Process) error {
				p.Sleep(ctx, 0)
				_, err := k.Pass(ctx, Gate{Address: Address{Label: "sql:Step"}, Kind: Statement})
				at = p.Mono()
				return err
			})
		})
		require.NoError(t, err)
		require.Equal(t, want, at.String())
	}
}

func TestRun_StopsAtUntilAndGoesOn(t *testing.T) {
	k := New(Config{Epoch: epoch})
	defer k.Close()
	woke := 0
	k.Process("p", -1, func(ctx context.Context, p *Process) error {
		for p.Sleep(ctx, time.Minute) == nil {
			woke++
		}
		return nil
	})
	require.NoError(t, k.Run(context.Background(), 150*time.Second))
	require.Equal(t, 2, woke)
	require.Equal(t, 150*time.Second, k.Since())
	require.NoError(t, k.Run(context.Background(), 180*time.Second))
	require.Equal(t, 3, woke, "what is due at the end is done")
}

func TestRun_StopReturnsBeforeTheNextMove(t *testing.T) {
	var order []string
	k := New(Config{Epoch: epoch})
	defer k.Close()
	k.World("stopper", func(ctx context.Context) error { k.Stop(); return nil })
	k.Process("p", -1, steps(k, &order, "p", 1))
	require.NoError(t, k.Run(context.Background(), time.Hour))
	require.Empty(t, order)
	require.NoError(t, k.Run(context.Background(), time.Hour))
	require.Equal(t, []string{"p"}, order)
}

func TestRun_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	k := New(Config{Epoch: epoch})
	defer k.Close()
	k.World("w", func(c context.Context) error { cancel(); return k.SleepWorld(c, time.Second) })
	require.ErrorIs(t, k.Run(ctx, time.Hour), context.Canceled)
}

func TestRun_LivelockNamesWhoStandsWhere(t *testing.T) {
	_, err := one(t, Config{S: 100}, func(ctx context.Context, p *Process) error {
		for p.Sleep(ctx, 0) == nil {
		}
		return nil
	})
	var l *Livelock
	require.ErrorAs(t, err, &l)
	require.Equal(t, 101, l.Moves)
	require.Equal(t, []string{"p#0/main stands at sleep/101"}, l.Standing)
}

func TestRun_StuckNamesWhoStandsWhere(t *testing.T) {
	_, err := one(t, Config{}, func(ctx context.Context, p *Process) error {
		if err := p.Sleep(ctx, time.Minute); err != nil {
			return err
		}
		return p.Event("never").Wait(ctx)
	})
	var s *Stuck
	require.ErrorAs(t, err, &s)
	require.Equal(t, []string{"p#0/main waits at event:never/1"}, s.Standing)
	require.Equal(t, time.Minute, s.At)
}

func TestRun_WaitingIsNotStuckWhileATimerReachesTheEnd(t *testing.T) {
	k, err := play(t, Config{}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error { return p.Event("never").Wait(ctx) })
		k.World("w", func(ctx context.Context) error { return k.SleepWorld(ctx, 2*time.Hour) })
	})
	require.NoError(t, err)
	require.Equal(t, time.Hour, k.Since())
}

func TestRun_PanicEndsTheRunAndNamesTheTask(t *testing.T) {
	_, err := one(t, Config{}, func(context.Context, *Process) error { panic("boom") })
	var p *Panicked
	require.ErrorAs(t, err, &p)
	require.Equal(t, "p#0/main", p.Actor.String())
	require.Contains(t, p.Stack, "kernel_test.go")
}

func TestWatchdog_FailsTheRunAndDecidesNothing(t *testing.T) {
	free := make(chan struct{})
	k, err := one(t, Config{Watchdog: 20 * time.Millisecond}, func(context.Context, *Process) error { <-free; return nil })
	var h *Hung
	require.ErrorAs(t, err, &h)
	require.Contains(t, h.Dump, "kernel_test.go")
	require.Len(t, k.History().Lines(), 1)
	close(free)
}
