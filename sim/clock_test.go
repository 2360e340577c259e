package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClock_DeadlinesOfAnInstantComeFirstOrLastByDecision(t *testing.T) {
	// The holder commits at the very instant at which the waiter's deadline is over, by a timer that was set later.
	for lines, want := range map[string]string{
		"":                                      "w1 gave up",
		"clock  at 60s/1  hold  deadlines last": "w1 has it",
	} {
		var got string
		d := script(t, lines)
		l := &table{granted: map[string]bool{}}
		k, err := play(t, Config{Decider: d, Locks: l}, func(k *Kernel) {
			l.k = k
			k.Process("w0", -1, func(ctx context.Context, p *Process) error {
				l.lock(ctx)
				p.Sleep(ctx, time.Second)
				p.Sleep(ctx, 59*time.Second)
				return l.unlock(ctx)
			})
			k.Process("w1", -1, func(ctx context.Context, p *Process) error {
				c, cancel := p.WithTimeout(ctx, time.Minute)
				defer cancel()
				if got = "w1 has it"; l.lock(c) != nil {
					got = "w1 gave up"
				}
				return nil
			})
		})
		require.NoError(t, err)
		require.Empty(t, d.Unused())
		require.Equal(t, want, got)
		require.Equal(t, time.Minute, k.Since())
	}
}

func TestClock_HeldDeadlinesAreAskedOnceAnInstantAndComeAllTheSame(t *testing.T) {
	var log []string
	a := asked{script(t, "clock  at 60s/1  hold  deadlines last"), map[question]int{}}
	_, err := play(t, Config{Decider: a}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			for i := range 2 {
				p.Spawn(ctx, "t", func(ctx context.Context) error {
					c, cancel := p.WithTimeout(ctx, time.Minute)
					defer cancel()
					err := p.Event("never").Wait(c)
					log = append(log, fmt.Sprint(i, " ", err, " ", p.Mono()))
					return nil
				})
			}
			p.Sleep(ctx, time.Minute)
			log = append(log, "main")
			return p.Sleep(ctx, time.Second)
		})
	})
	require.NoError(t, err)
	require.Equal(t, []string{"main", "0 context deadline exceeded 1m0s", "1 context deadline exceeded 1m0s"}, log)
	a.requireOnce(t)
}

func TestGrants_ASlowServerLetsABackendGoOnLater(t *testing.T) {
	grants := Config{Grants: []time.Duration{10 * time.Second}, Stalls: []time.Duration{time.Minute}}
	for lines, want := range map[string][]string{
		"": {"w0 0s", "w1 1s", "w2 1s"}, // the table grants to all that wait
		"w1#0/main  wait sql:Lock/1  latency  30s": {"w0 0s", "w2 1s", "w1 31s"},
		// The client stands still meanwhile: that is not the server's affair.
		"w1#0/main  wait sql:Lock/1  latency  30s\nw1#0/main  wait sql:Lock/1  fault  stall 600s": {"w0 0s", "w2 1s", "w1 10m0s"},
	} {
		c := grants
		d := script(t, lines)
		c.Decider = d
		k, order, err := lockers(t, c, &table{}, 3, time.Second)
		require.NoError(t, err)
		require.Empty(t, d.Unused())
		require.Equal(t, want, order, lines)
		if len(d.deviations) == 2 {
			require.Contains(t, k.History().Lines(), "31.000000 w1#0/main wait sql:Lock/1 result: locked rows=1 keys=1")
		}
	}
}

func TestGrants_ADeadlineFindsASlowBackendStillWaiting(t *testing.T) {
	var got error
	d := script(t, "w#0/main  wait sql:Lock/1  latency  30s")
	l := &table{granted: map[string]bool{"w#0/main": true}, held: true}
	k, err := play(t, Config{Decider: d, Locks: l, Grants: []time.Duration{time.Second}}, func(k *Kernel) {
		k.Process("w", -1, func(ctx context.Context, p *Process) error {
			c, cancel := p.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			step(c, k, "sql:Lock")
			got = k.Block(c, Backend{Name: "w#0/main"})
			return nil
		})
	})
	require.NoError(t, err)
	require.Empty(t, d.Unused())
	require.Equal(t, ErrDeadline, got)
	require.Equal(t, 10*time.Second, k.Since())
}

func TestClock_CanBeChosenLikeATaskWhereConfigured(t *testing.T) {
	run := func(clock bool, lines string) (order []string, unused int, k *Kernel) {
		d := script(t, lines)
		k, err := play(t, Config{Decider: d, Clock: clock, Moves: true}, func(k *Kernel) {
			k.Process("a", -1, func(ctx context.Context, p *Process) error {
				p.Sleep(ctx, 0)
				for range 2 {
					if err := step(ctx, k, "sql:Step"); err != nil {
						return err
					}
					order = append(order, fmt.Sprint("a ", k.Since()))
				}
				return nil
			})
			k.Process("b", -1, func(ctx context.Context, p *Process) error {
				err := p.Sleep(ctx, time.Minute)
				order = append(order, fmt.Sprint("b ", k.Since()))
				return err
			})
		})
		require.NoError(t, err)
		return order, len(d.Unused()), k
	}
	order, unused, k := run(true, "a#0/main  sql:Step/2  then  clock\nclock  at 60s/1  then  b#0/main")
	require.Equal(t, []string{"a 0s", "b 1m0s", "a 1m0s"}, order)
	require.Zero(t, unused)
	require.Len(t, k.History().Moves, k.Stats().Moves, "moves of the clock are none")
	order, unused, _ = run(false, "a#0/main  sql:Step/2  then  clock")
	require.Equal(t, []string{"a 0s", "a 0s", "b 1m0s"}, order)
	require.Equal(t, 1, unused)
	_, _, with := run(true, "")
	_, _, without := run(false, "")
	require.Equal(t, without.History().Hash(), with.History().Hash(), "it is last in the plain run")
}

func TestClock_IsNotChosenBeforeWhatWasGrantedIsServed(t *testing.T) {
	d := script(t, "w0#0  ended/1  then  clock")
	_, order, err := lockers(t, Config{Decider: d, Clock: true}, &table{}, 3, time.Second)
	require.NoError(t, err)
	require.Len(t, d.Unused(), 1)
	require.Equal(t, []string{"w0 0s", "w1 1s", "w2 1s"}, order)
}
