package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCall_OutcomeIsDecidedAtTheBareActorAndTheEffectHappensOnce(t *testing.T) {
	d := script(t, "provider  refund(p1)/2  outcome  timeout, effect later 90s")
	var got []string
	k, err := play(t, Config{Decider: d}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			for range 2 {
				v, err := k.Call(ctx, Call{Actor: "provider", Label: "refund(p1)", Detail: "2100",
					Outcomes: []Value{{}, {"timeout,", "effect later 60s"}},
					Do:       func(v Value, now time.Time) { got = append(got, fmt.Sprint("do ", v, now.Sub(epoch))) }})
				require.NoError(t, err)
				got = append(got, v.String())
			}
			return nil
		})
	})
	require.NoError(t, err)
	require.Empty(t, d.Unused())
	require.Equal(t, []string{"do  0s", "", "do timeout, effect later 90s 0s", "timeout, effect later 90s"}, got)
	require.Contains(t, k.History().Lines(), "0.000000 p#0/main call:provider refund(p1)/1 call: 2100")
	require.Contains(t, k.History().Lines(), "0.000000 provider refund(p1)/1 outcome: plain")
}

func TestCall_KillAfterHasTheEffectAndNoAnswer(t *testing.T) {
	d := script(t, "p#0/main  call:provider refund(p1)/1  fault  kill after")
	effects := 0
	_, err := play(t, Config{Decider: d}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			_, err := k.Call(ctx, Call{Actor: "provider", Label: "refund(p1)", Do: func(Value, time.Time) { effects++ }})
			require.ErrorIs(t, err, ErrKilled)
			return err
		})
	})
	require.NoError(t, err)
	require.Equal(t, 1, effects)
}

func TestTick_IsDecidedWithoutATask(t *testing.T) {
	d := script(t, "cron-1  tick 2026-03-29T00:00:00Z/1  fault  duplicate 40s")
	var got []Value
	_, err := play(t, Config{Decider: d}, func(k *Kernel) {
		k.World("cron-1", func(ctx context.Context) error {
			for range 2 {
				got = append(got, k.Tick("cron-1", "tick 2026-03-29T00:00:00Z", []Value{{"duplicate", "10s"}, {Verb: "missing"}}))
			}
			return nil
		})
	})
	require.NoError(t, err)
	require.Equal(t, []Value{{"duplicate", "40s"}, {}}, got)
}

func TestAfter_EventsHappenWhenDueInOrderOfCreationAndAreReordered(t *testing.T) {
	for lines, want := range map[string]string{
		"":                            "[receipt a 1s receipt b 1s]",
		"clock  at 1s/1  then  sms/2": "[receipt b 1s receipt a 1s]",
	} {
		var log []string
		d := script(t, lines)
		_, err := play(t, Config{Decider: d}, func(k *Kernel) {
			for _, name := range []string{"receipt a", "receipt b"} {
				k.After("sms", time.Second, name, func(now time.Time) { log = append(log, name, fmt.Sprint(now.Sub(epoch))) })
			}
		})
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprint(log))
		require.Empty(t, d.Unused())
	}
}

func TestLater_IsATaskThatStandsAtAGateBeforeItActs(t *testing.T) {
	d := script(t, "net  late sql:Step/1  latency  60s")
	var log []string
	k, err := play(t, Config{Decider: d, Latencies: []time.Duration{time.Minute}}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			k.Later("net", "late sql:Step", time.Second, func(ctx context.Context) {
				log = append(log, fmt.Sprint(TaskOf(ctx).Actor(), " ", k.Since()))
				require.NoError(t, step(ctx, k, "sql:Second"))
			})
			return k.Die(ctx, "its bytes are on the wire")
		})
	})
	require.NoError(t, err)
	require.Empty(t, d.Unused())
	require.Equal(t, []string{"net 1m1s"}, log)
	require.Contains(t, k.History().Lines(), "61.000000 net sql:Second/1 statement")
}

func TestWorld_ItsErrorsAndItsPanicsEndTheRun(t *testing.T) {
	_, err := play(t, Config{}, func(k *Kernel) { k.World("w", func(context.Context) error { return errStep }) })
	require.ErrorIs(t, err, errStep)
	_, err = play(t, Config{}, func(k *Kernel) { k.After("w", 0, "e", func(time.Time) { panic("boom") }) })
	var p *Panicked
	require.ErrorAs(t, err, &p)
	require.Equal(t, Bare("w"), p.Actor)
}

func TestWorld_SleepUntilAnInstantOfTheWorldsClock(t *testing.T) {
	k, err := play(t, Config{}, func(k *Kernel) {
		k.World("w", func(ctx context.Context) error { return k.SleepUntil(ctx, epoch.Add(42*time.Second)) })
	})
	require.NoError(t, err)
	require.Equal(t, epoch.Add(42*time.Second), k.Now())
}

func TestWorld_NamesThatCannotBeReadBackAreRefused(t *testing.T) {
	k := New(Config{})
	defer k.Close()
	for _, name := range []string{"", "a b", "a#1", "a/b"} {
		require.Panics(t, func() { k.World(name, nil) }, name)
		require.Panics(t, func() { k.Process(name, 0, nil) }, name)
	}
}

func TestCall_OfATaskOfTheWorldIsNeverBroken(t *testing.T) {
	d := script(t, "operator  call:provider refund(p1)/1  fault  kill after\noperator  call:provider refund(p1)/1  latency  60s")
	_, err := play(t, Config{Decider: d, Latencies: []time.Duration{time.Minute}}, func(k *Kernel) {
		k.World("operator", func(ctx context.Context) error {
			_, err := k.Call(ctx, Call{Actor: "provider", Label: "refund(p1)"})
			return err
		})
	})
	require.NoError(t, err)
	require.Len(t, d.Unused(), 2)
}
