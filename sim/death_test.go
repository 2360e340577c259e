package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type session struct {
	name string
	log  *[]string
}

func (s *session) Abandon() { *s.log = append(*s.log, "abandon "+s.name) }

func step(ctx context.Context, k *Kernel, label string) error {
	fault, err := k.Pass(ctx, Gate{Address: Address{Label: label}, Kind: Statement, Offers: afterCall})
	if err == nil && fault == killAfter {
		return k.Die(ctx, "after "+label)
	}
	return err
}

func TestKill_BeforeHasNoEffectAndAfterHasIt(t *testing.T) {
	for fault, want := range map[string]int{"kill before": 1, "kill after": 2} {
		effects := 0
		d := script(t, "p#0/main  sql:Write/2  fault  "+fault)
		k, err := play(t, Config{Decider: d}, func(k *Kernel) {
			k.Process("p", -1, func(ctx context.Context, p *Process) error {
				for range 3 {
					fault, err := k.Pass(ctx, Gate{Address: Address{Label: "sql:Write"}, Kind: Statement, Offers: afterCall})
					if err != nil {
						return err
					}
					effects++
					if fault == killAfter {
						return k.Die(ctx, "after sql:Write/2")
					}
				}
				return nil
			})
		})
		require.NoError(t, err)
		require.Equal(t, want, effects, fault)
		require.Empty(t, d.Unused())
		require.Empty(t, k.BootErrors(), "a killed boot did not return")
	}
}

func TestKill_SessionsVanishInOrderThenTasksUnwindYoungestFirst(t *testing.T) {
	var log []string
	d := script(t, "p#0/child#3  sql:Step/1  fault  kill before")
	_, err := play(t, Config{Decider: d}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			defer func() { log = append(log, "main") }()
			for _, name := range []string{"s1", "s2", "s3"} {
				p.Attach(&session{name, &log})
			}
			for range 2 {
				p.Spawn(ctx, "child", func(ctx context.Context) error {
					me := TaskOf(ctx)
					defer func() { log = append(log, me.Name()) }()
					p.Event("").Wait(ctx)
					return nil
				})
			}
			p.Spawn(ctx, "child", func(ctx context.Context) error {
				defer func() { log = append(log, "child#3") }()
				return step(ctx, k, "sql:Step")
			})
			return p.Sleep(ctx, time.Hour)
		})
	})
	require.NoError(t, err)
	require.Empty(t, d.Unused())
	require.Equal(t, []string{"abandon s1", "abandon s2", "abandon s3", "child#3", "child#2", "child", "main"}, log)
}

func TestKill_UnwindingTasksRunOneByOneBeforeAnythingElse(t *testing.T) {
	var log []string
	d := script(t, "p#0/main  sql:Step/1  fault  kill before")
	_, err := play(t, Config{Decider: d, K: 1}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			for i := range 4 {
				p.Spawn(ctx, "t", func(ctx context.Context) error {
					for p.Sleep(ctx, time.Second) == nil {
					}
					// Three gates of a corpse, each of which would let others in if it were one.
					for range 3 {
						log = append(log, fmt.Sprint(i))
						require.ErrorIs(t, step(ctx, k, "sql:Cleanup"), ErrKilled)
					}
					return nil
				})
			}
			p.Sleep(ctx, 0)
			return step(ctx, k, "sql:Step")
		})
		k.Process("other", -1, steps(k, &log, "other", 3))
	})
	require.NoError(t, err)
	require.Empty(t, d.Unused())
	require.Contains(t, fmt.Sprint(log), "[other 3 3 3 2 2 2 1 1 1 0 0 0 other other]")
}

func TestKill_ACorpseEndsAfterTwentyGates(t *testing.T) {
	tried := 0
	d := script(t, "p#0/main  sql:Step/1  fault  kill before")
	k, err := play(t, Config{Decider: d}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			for {
				tried++
				step(ctx, k, "sql:Step")
			}
		})
	})
	require.NoError(t, err)
	require.Equal(t, 21, tried, "the first answer is that of the gate it died at")
	require.Zero(t, k.Stats().Statements, "none of them went out")
}

func TestKill_EveryGateAnswersErrKilledWithoutEffect(t *testing.T) {
	d := script(t, "p#0/main  sql:Step/1  fault  kill after")
	effects := 0
	k, err := play(t, Config{Decider: d}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			child := p.Spawn(ctx, "child", func(ctx context.Context) error { return p.Sleep(ctx, time.Hour) })
			full := p.Semaphore("s", 1)
			require.NoError(t, full.Acquire(ctx))
			require.ErrorIs(t, step(ctx, k, "sql:Step"), ErrKilled)
			_, err := k.Call(ctx, Call{Actor: "provider", Label: "refund(x)", Do: func(Value, time.Time) { effects++ }})
			require.ErrorIs(t, err, ErrKilled)
			require.ErrorIs(t, p.Sleep(ctx, time.Second), ErrKilled)
			require.ErrorIs(t, child.Wait(ctx), ErrKilled)
			require.ErrorIs(t, full.Acquire(ctx), ErrKilled)
			require.ErrorIs(t, p.Event("e").Wait(ctx), ErrKilled)
			require.ErrorIs(t, k.Block(ctx, Backend{}), ErrKilled)
			require.ErrorIs(t, p.Spawn(ctx, "late", func(context.Context) error { effects++; return nil }).Wait(ctx), ErrKilled)
			require.ErrorIs(t, k.Die(ctx, "again"), ErrKilled)
			full.Release()
			full.Release() // more than acquired: the dead may
			k.Note(ctx, Entry{What: "result", Text: "unseen"})
			return ErrKilled
		})
	})
	require.NoError(t, err)
	require.Zero(t, effects)
	require.NotContains(t, fmt.Sprint(k.History().Lines()), "unseen")
}

func TestKill_RestartsWithTheNextLifeAndFreshCounts(t *testing.T) {
	var booted []string
	d := script(t, "p#0/main  sql:Step/1  fault  kill before\np#1/main  sql:Step/1  fault  kill after")
	k, err := play(t, Config{Decider: d}, func(k *Kernel) {
		k.Process("p", 30*time.Second, func(ctx context.Context, p *Process) error {
			booted = append(booted, fmt.Sprint(p.Actor(), " ", k.Since(), " ", p.Mono()))
			return step(ctx, k, "sql:Step")
		})
	})
	require.NoError(t, err)
	require.Empty(t, d.Unused())
	require.Equal(t, []string{"p#0 0s 0s", "p#1 30s 0s", "p#2 1m0s 0s"}, booted)
	require.Equal(t, "60.000000 p#2 ended", k.History().Lines()[len(k.History().Lines())-1])
}

func TestKill_HitsATaskWhileItSleepsOrWaits(t *testing.T) {
	d := script(t, "p#0/main  sleep/1  fault  kill before")
	k, err := play(t, Config{Decider: d}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error { return p.Sleep(ctx, time.Hour) })
	})
	require.NoError(t, err)
	require.Zero(t, k.Since(), "it died at once, and its timer with it")
}

func TestBoot_ThatReturnsEndsTheLifeForGood(t *testing.T) {
	boots, unwound := 0, false
	k, err := play(t, Config{}, func(k *Kernel) {
		k.Process("p", time.Second, func(ctx context.Context, p *Process) error {
			boots++
			p.Spawn(ctx, "child", func(ctx context.Context) error {
				defer func() { unwound = true }()
				return p.Sleep(ctx, time.Hour)
			})
			p.Sleep(ctx, time.Second)
			return errStep
		})
	})
	require.NoError(t, err)
	require.Equal(t, 1, boots)
	require.True(t, unwound)
	require.Equal(t, []error{errStep}, k.BootErrors())
}

func TestClose_EndsEveryTaskAndAddsNoHistory(t *testing.T) {
	k := New(Config{Epoch: epoch})
	ended := 0
	for _, name := range []string{"a", "b"} {
		k.Process(name, time.Second, func(ctx context.Context, p *Process) error {
			defer func() { ended++ }()
			p.Spawn(ctx, "never started", func(context.Context) error { return nil })
			return p.Sleep(ctx, 2*time.Hour)
		})
	}
	k.World("w", func(ctx context.Context) error {
		defer func() { ended++; k.Tick("cron", "tick x", nil) }()
		return k.SleepWorld(ctx, 2*time.Hour)
	})
	require.NoError(t, k.Run(context.Background(), time.Minute))
	before := k.History().Hash()
	k.Close()
	k.Close()
	require.Equal(t, 3, ended)
	require.Equal(t, before, k.History().Hash())
	k.History().Mark("dump", "tables", "1234")
	require.NotEqual(t, before, k.History().Hash())
}

func TestKill_OfAProcessWithSessionsMayTouchAnything(t *testing.T) {
	for sessions, want := range []bool{false, true} {
		var log []string
		d := script(t, "p#0/main  sleep/1  fault  kill before")
		k, err := play(t, Config{Decider: d, Moves: true}, func(k *Kernel) {
			k.Process("p", -1, func(ctx context.Context, p *Process) error {
				for range sessions {
					p.Attach(&session{"s", &log})
				}
				return p.Sleep(ctx, time.Second)
			})
		})
		require.NoError(t, err)
		require.Empty(t, d.Unused())
		require.Equal(t, want, k.History().Moves[0].Foot.All)
	}
}
