package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// table is a server with one lock: a map stands for pg_locks.
type table struct {
	k       *Kernel
	held    bool
	granted map[string]bool // by name of backend, once its turn came
	queue   []string
	shuffle bool // answer in chance's order, which must not matter
	asked   int
}

func (l *table) Granted(waiting []Backend) ([]Backend, error) {
	l.asked++
	var out []Backend
	for _, b := range waiting {
		if l.granted[b.Name] {
			out = append(out, b)
		}
	}
	if l.shuffle {
		rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out, nil
}

// lock is the round trip of a statement that takes the lock.
func (l *table) lock(ctx context.Context) error {
	if _, err := l.k.Pass(ctx, Gate{Address: Address{Label: "sql:Lock"}, Kind: Statement}); err != nil {
		return err
	}
	if l.held {
		name := TaskOf(ctx).Actor().String()
		l.queue = append(l.queue, name)
		if err := l.k.Block(ctx, Backend{Session: l, Name: name}); err != nil {
			return err
		}
		delete(l.granted, name)
	}
	l.held = true
	l.k.Note(ctx, Entry{What: "result", Text: "locked", Keys: []string{"1"}, Rows: 1})
	return nil
}

// unlock frees it and grants it to all that wait: they race in the server, as after an abort.
func (l *table) unlock(ctx context.Context) error {
	if _, err := l.k.Pass(ctx, Gate{Address: Address{Label: "commit"}, Kind: Statement, Commit: true}); err != nil {
		return err
	}
	l.held = false
	for _, name := range l.queue {
		l.granted[name] = true
	}
	l.queue = nil
	return nil
}

func lockers(t *testing.T, c Config, l *table, n int, hold time.Duration) (*Kernel, []string, error) {
	var order []string
	l.granted = map[string]bool{}
	c.Locks = l
	k, err := play(t, c, func(k *Kernel) {
		l.k = k
		for i := range n {
			k.Process(fmt.Sprint("w", i), -1, func(ctx context.Context, p *Process) error {
				if err := l.lock(ctx); err != nil {
					return err
				}
				order = append(order, fmt.Sprint(p.Name(), " ", k.Since()))
				p.Sleep(ctx, hold)
				return l.unlock(ctx)
			})
		}
	})
	return k, order, err
}

func TestBlock_GrantedWaitsAreServedBeforeTimeMovesInTheOrderOfBlocking(t *testing.T) {
	// Without its cure (the kernel's own order of waiting), the order of the server's answer would show.
	var first string
	for range 30 {
		k, order, err := lockers(t, Config{}, &table{shuffle: true}, 4, time.Second)
		require.NoError(t, err)
		require.Equal(t, []string{"w0 0s", "w1 1s", "w2 1s", "w3 1s"}, order)
		if first == "" {
			first = k.History().Hash()
		}
		require.Equal(t, first, k.History().Hash())
	}
}

func TestBlock_LettingGoOnIsADecision(t *testing.T) {
	d := script(t, "w0#0  ended/1  then  w2#0/main")
	_, order, err := lockers(t, Config{Decider: d}, &table{}, 3, time.Second)
	require.NoError(t, err)
	require.Equal(t, []string{"w0 0s", "w2 1s", "w1 1s"}, order)
	require.Empty(t, d.Unused())
}

func TestBlock_TheServerIsAskedOnlyAfterMovesThatMayFreeSomething(t *testing.T) {
	l := &table{}
	_, _, err := lockers(t, Config{}, l, 2, time.Second)
	require.NoError(t, err)
	require.Equal(t, 2, l.asked, "after the statement that blocked, and after the commit")
}

func TestBlock_AnErrorOfTheServerEndsTheRun(t *testing.T) {
	c := Config{Locks: failing{}}
	_, err := play(t, c, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			step(ctx, k, "sql:Step")
			return k.Block(ctx, Backend{})
		})
	})
	require.ErrorIs(t, err, errStep)
}

type failing struct{}

func (failing) Granted([]Backend) ([]Backend, error) { return nil, errStep }

func TestBlock_EverythingBlockedAndNoTimerIsStuck(t *testing.T) {
	_, err := play(t, Config{}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			step(ctx, k, "sql:Step")
			return k.Block(ctx, Backend{})
		})
	})
	var s *Stuck
	require.ErrorAs(t, err, &s)
	require.Equal(t, []string{"p#0/main is blocked in the server at wait sql:Step/1"}, s.Standing)
}

func TestBlock_AtTheDeadlineAnArmIsDecided(t *testing.T) {
	for lines, want := range map[string]error{
		"": ErrDeadline,
		"p#0/main  deadline/1  outcome  completes anyway": ErrDeadlineCompletes,
	} {
		var got error
		d := script(t, lines)
		k, err := play(t, Config{Decider: d}, func(k *Kernel) {
			k.Process("p", -1, func(ctx context.Context, p *Process) error {
				c, cancel := p.WithTimeout(ctx, time.Minute)
				defer cancel()
				step(c, k, "sql:Step")
				got = k.Block(c, Backend{Name: "b"})
				return nil
			})
		})
		require.NoError(t, err)
		require.ErrorIs(t, got, ErrDeadline)
		require.ErrorIs(t, got, want)
		require.Equal(t, want == ErrDeadlineCompletes, errors.Is(got, ErrDeadlineCompletes))
		require.Empty(t, d.Unused())
		require.Equal(t, time.Minute, k.Since())
	}
}

func TestKill_HitsATaskThatIsBlockedInTheServer(t *testing.T) {
	var log []string
	d := script(t, "p#0/main  wait sql:Step/1  fault  kill before")
	_, err := play(t, Config{Decider: d}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			p.Attach(&session{"s", &log})
			step(ctx, k, "sql:Step")
			err := k.Block(ctx, Backend{Name: "b"})
			log = append(log, fmt.Sprint(err == ErrKilled))
			return err
		})
	})
	require.NoError(t, err)
	require.Empty(t, d.Unused())
	require.Equal(t, []string{"abandon s", "true"}, log)
}

func TestStall_AGrantedBackendGoesOnButItsClientStandsStill(t *testing.T) {
	d := script(t, "w1#0/main  wait sql:Lock/1  fault  stall 600s")
	k, order, err := lockers(t, Config{Decider: d, Stalls: []time.Duration{time.Minute}}, &table{}, 2, time.Second)
	require.NoError(t, err)
	require.Equal(t, []string{"w0 0s", "w1 10m0s"}, order)
	require.Contains(t, k.History().Lines(), "1.000000 w1#0/main wait sql:Lock/1 result: locked rows=1 keys=1")
}

func TestPass_AStatementThatStandsWhileItsContextEndsIsSentAllTheSame(t *testing.T) {
	d := script(t, "p#0/main  sql:Step/1  latency  60s")
	var got error
	_, err := play(t, Config{Decider: d, Latencies: []time.Duration{time.Minute}}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			c, cancel := p.WithTimeout(ctx, time.Second)
			defer cancel()
			got = step(c, k, "sql:Step")
			require.ErrorIs(t, c.Err(), context.DeadlineExceeded)
			return nil
		})
	})
	require.NoError(t, err)
	require.NoError(t, got)
}

func TestPass_WithoutTheFloorIsStray(t *testing.T) {
	for name, spoil := range map[string]func(k *Kernel, ctx context.Context, p *Process) error{
		"no task": func(k *Kernel, ctx context.Context, p *Process) error {
			return step(context.Background(), k, "sql:Step")
		},
		"another's context": func(k *Kernel, ctx context.Context, p *Process) error {
			var stolen context.Context
			w := p.Spawn(ctx, "victim", func(ctx context.Context) error { stolen = ctx; return p.Sleep(ctx, time.Second) })
			p.Sleep(ctx, 0)
			return errors.Join(step(stolen, k, "sql:Step"), w.Wait(ctx))
		},
	} {
		_, err := play(t, Config{}, func(k *Kernel) {
			k.Process("p", -1, func(ctx context.Context, p *Process) error { return spoil(k, ctx, p) })
		})
		var s *Stray
		require.ErrorAs(t, err, &s, name)
	}
}

func TestStrayTasks_NamesWhatWasStartedWithGo(t *testing.T) {
	stop := make(chan struct{})
	var found, allowed []string
	_, err := one(t, Config{}, func(ctx context.Context, p *Process) error {
		ready := make(chan struct{})
		go func() { close(ready); <-stop }()
		<-ready
		w := p.Spawn(ctx, "child", func(ctx context.Context) error { return p.Sleep(ctx, time.Second) })
		p.Sleep(ctx, 0)
		found, allowed = StrayTasks(), StrayTasks("wire_test.go")
		return w.Wait(ctx)
	})
	close(stop)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Contains(t, found[0], "p#0/main")
	require.Empty(t, allowed)
}

func TestBlock_WhatTheWireOffersBreaksTheWaitAtOnce(t *testing.T) {
	terminated := Value{"terminated", "before"}
	for lines, want := range map[string]error{
		"w1#0/main  wait sql:Lock/1  fault  cut waiting":       ErrCutWaiting,
		"w1#0/main  wait sql:Lock/1  fault  terminated before": &WaitBroken{terminated},
	} {
		var got error
		d := script(t, lines)
		l := &table{granted: map[string]bool{}, held: true}
		k, err := play(t, Config{Decider: d, Locks: l, Latencies: []time.Duration{time.Second}}, func(k *Kernel) {
			k.Process("w1", -1, func(ctx context.Context, p *Process) error {
				step(ctx, k, "sql:Lock")
				got = k.Block(ctx, Backend{Session: l, Name: "w1", Offers: []Offer{{Fault, cutWaiting}, {Fault, terminated}}})
				return step(ctx, k, "sql:Next")
			})
		})
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, want == ErrCutWaiting, errors.Is(got, ErrCutWaiting))
		require.Empty(t, d.Unused())
		require.Zero(t, k.Since(), "its latency is not asked any more")
		require.Empty(t, k.blocked)
	}
}

func TestPass_AStatementWhoseContextEndsWhileItStandsMayNeverBeSent(t *testing.T) {
	for _, c := range []struct {
		lines string
		want  error
		at    string
	}{
		{"", nil, "1m0s"},
		{"\np#0/main  deadline/1  outcome  not sent", ErrDeadlineNotSent, "1s"},
	} {
		d := script(t, "p#0/main  sql:Step/1  latency  60s"+c.lines)
		var got error
		var at time.Duration
		a := asked{d, map[question]int{}}
		k, err := play(t, Config{Decider: a, Latencies: []time.Duration{time.Minute}}, func(k *Kernel) {
			k.Process("p", -1, func(ctx context.Context, p *Process) error {
				c, cancel := p.WithTimeout(ctx, time.Second)
				defer cancel()
				got, at = step(c, k, "sql:Step"), k.Since()
				return nil
			})
		})
		require.NoError(t, err)
		require.Equal(t, c.want, got)
		require.Equal(t, c.at, at.String())
		require.Empty(t, d.Unused())
		a.requireOnce(t)
		require.Equal(t, c.want == nil, k.Stats().Statements == 1)
	}
}

func TestLand_HasTheFootprintItIsGiven(t *testing.T) {
	k, err := play(t, Config{Moves: true}, func(k *Kernel) {
		k.Land(Late{Actor: "net", Label: "sql:Late", Delay: time.Second, Foot: writes("x"), Do: func(context.Context) {}})
		k.Later("net", "sql:Later", time.Minute, func(context.Context) {})
	})
	require.NoError(t, err)
	require.Equal(t, writes("x"), k.History().Moves[0].Foot)
	require.True(t, k.History().Moves[1].Foot.All)
}

func TestCall_TouchesTheWorldUnlessItSaysWhat(t *testing.T) {
	k, err := play(t, Config{Moves: true}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			k.Call(ctx, Call{Actor: "provider", Label: "refund"})
			_, err := k.Call(ctx, Call{Actor: "provider", Label: "refund", Foot: writes("provider k1")})
			return err
		})
	})
	require.NoError(t, err)
	require.Equal(t, writes("world"), k.History().Moves[1].Foot)
	require.Equal(t, writes("provider k1"), k.History().Moves[2].Foot)
}

func TestBlock_ItsGateTouchesWhatItsStatementDoesUnlessTheWireKnowsBetter(t *testing.T) {
	for _, c := range []struct{ rest, want Footprint }{{Footprint{}, writes("jobs")}, {reads("rest"), reads("rest")}} {
		k, err := play(t, Config{Moves: true, Locks: &table{granted: map[string]bool{"b": true}}}, func(k *Kernel) {
			k.Process("p", -1, func(ctx context.Context, p *Process) error {
				k.Pass(ctx, Gate{Address: Address{Label: "sql:Lock"}, Kind: Statement, Foot: writes("jobs")})
				return k.Block(ctx, Backend{Name: "b", Foot: c.rest})
			})
		})
		require.NoError(t, err)
		require.Equal(t, c.want, k.History().Moves[2].Foot)
	}
}

func TestEnter_AddsALineOfWhoeverIsNamed(t *testing.T) {
	k, err := one(t, Config{}, func(ctx context.Context, p *Process) error {
		p.Kernel().Enter(Entry{Actor: p.Actor(), What: "noticed", Label: "noticed", Nth: 2, Text: "5s"})
		return nil
	})
	require.NoError(t, err)
	require.Contains(t, k.History().Lines(), "0.000000 p#0 noticed/2 noticed: 5s")
}

// asking is a session that asks when its client end vanishes.
type asking struct{ p *Process }

func (a asking) Abandon() {
	a.p.Kernel().Ask(a.p.Actor(), "noticed", Latency, []Value{{Verb: "30s"}})
}

func TestAsk_DecidesNothingOnceTheRunIsClosed(t *testing.T) {
	d := script(t, "p#0  noticed/1  latency  30s")
	k := New(Config{Epoch: epoch, Decider: d})
	k.Process("p", -1, func(ctx context.Context, p *Process) error {
		p.Attach(asking{p})
		return p.Sleep(ctx, time.Hour)
	})
	require.NoError(t, k.Run(context.Background(), time.Minute))
	k.Close()
	require.Empty(t, k.History().Used)
	require.Len(t, d.Unused(), 1)
}
