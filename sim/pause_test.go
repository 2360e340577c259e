package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStall_StopsTheWholeProcessAndMonoRunsOn(t *testing.T) {
	var log []string
	d := script(t, "p#0/main  sql:Step/1  fault  stall 120s")
	k, err := play(t, Config{Decider: d, Stalls: []time.Duration{time.Minute}}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			child := p.Spawn(ctx, "child", func(ctx context.Context) error {
				err := p.Sleep(ctx, 10*time.Second)
				log = append(log, fmt.Sprint("child ", p.Mono()))
				return err
			})
			p.Sleep(ctx, 0)
			err := step(ctx, k, "sql:Step")
			log = append(log, fmt.Sprint("main ", p.Mono()))
			child.Wait(ctx)
			return err
		})
		k.Process("other", -1, func(ctx context.Context, p *Process) error {
			err := p.Sleep(ctx, time.Minute)
			log = append(log, fmt.Sprint("other ", p.Mono()))
			return err
		})
	})
	require.NoError(t, err)
	require.Empty(t, d.Unused())
	require.Equal(t, []string{"other 1m0s", "child 2m0s", "main 2m0s"}, log)
	require.Contains(t, k.History().Lines(), "0.000000 p#0 stalled: 120s")
	require.Contains(t, k.History().Lines(), "120.000000 p#0 resumed")
}

func TestStall_WhatComesDueMeanwhileFiresAfterInItsOrder(t *testing.T) {
	var log []string
	d := script(t, "p#0/main  sleep/2  fault  stall 120s")
	k, err := play(t, Config{Decider: d, Stalls: []time.Duration{time.Minute}}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			for i, s := range []time.Duration{50, 30, 40} {
				p.Spawn(ctx, "t", func(ctx context.Context) error {
					ctx, cancel := p.WithTimeout(ctx, s*time.Second)
					defer cancel()
					step(ctx, k, "sql:Step")
					// A client that stands still can't cancel: the deadline is noticed after the stall.
					err := k.Block(ctx, Backend{Name: fmt.Sprint(i)})
					log = append(log, fmt.Sprint(i, " ", p.Mono(), " ", err == ErrDeadline))
					return nil
				})
			}
			p.Sleep(ctx, time.Second)
			return p.Sleep(ctx, time.Hour)
		})
	})
	require.NoError(t, err)
	require.Empty(t, d.Unused())
	require.Equal(t, []string{"1 2m1s true", "2 2m1s true", "0 2m1s true"}, log)
	require.Contains(t, k.History().Lines(), "121.000000 p#0/t#2 wait sql:Step/1 deadline: cancelled")
}

func TestHeal_EndsStallsAndLatenciesAndDecidesNothingMore(t *testing.T) {
	var log []string
	d := script(t, "p#0/main  sql:Step/1  fault  stall 3600s\nq#0/main  sql:Step/1  latency  3000s\nq#0/main  sql:Step/2  fault  kill before")
	k := New(Config{Epoch: epoch, Decider: d, Latencies: []time.Duration{time.Minute}})
	defer k.Close()
	for _, name := range []string{"p", "q"} {
		k.Process(name, -1, func(ctx context.Context, p *Process) error {
			for range 2 {
				if err := step(ctx, k, "sql:Step"); err != nil {
					return err
				}
				log = append(log, fmt.Sprint(name, " ", k.Since()))
			}
			return nil
		})
	}
	require.NoError(t, k.Run(context.Background(), time.Minute))
	require.Empty(t, log)
	k.Heal()
	require.NoError(t, k.Run(context.Background(), time.Hour))
	require.Equal(t, []string{"p 1m0s", "p 1m0s", "q 1m0s", "q 1m0s"}, log[:4])
	require.Len(t, d.Unused(), 1)
}

func TestHeal_LateThingsLandAtOnceInTheOrderInWhichTheyWereDue(t *testing.T) {
	var log []string
	k := New(Config{Epoch: epoch})
	defer k.Close()
	for _, late := range []time.Duration{50, 30, 40} {
		k.Later("net", "late sql:Step", late*time.Minute, func(ctx context.Context) {
			log = append(log, fmt.Sprint(TaskOf(ctx).Actor(), " ", int(late), " ", k.Since()))
		})
	}
	k.Later("net", "late sql:Step", time.Second, func(ctx context.Context) { log = append(log, "in time") })
	require.NoError(t, k.Run(context.Background(), time.Minute))
	k.Heal()
	require.NoError(t, k.Run(context.Background(), time.Minute))
	require.Equal(t, []string{"in time", "net 30 1m0s", "net/2 40 1m0s", "net/3 50 1m0s"}, log)
}

func TestSuspend_MonoStandsStillAndTimersAreDueAsMuchLater(t *testing.T) {
	var log []string
	d := script(t, "p#0/main  sql:Step/1  fault  suspend 120s")
	k, err := play(t, Config{Decider: d, Suspends: []time.Duration{time.Minute}}, func(k *Kernel) {
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			say := func(who string) {
				log = append(log, fmt.Sprint(who, " ", p.Mono(), " ", k.Since(), " ", p.Now().Sub(epoch)))
			}
			child := p.Spawn(ctx, "child", func(ctx context.Context) error {
				err := p.Sleep(ctx, 10*time.Second)
				say("child")
				return err
			})
			p.Sleep(ctx, 3*time.Second)
			err := step(ctx, k, "sql:Step")
			say("main")
			child.Wait(ctx)
			return err
		})
	})
	require.NoError(t, err)
	require.Empty(t, d.Unused())
	require.Equal(t, []string{"main 3s 2m3s 2m3s", "child 10s 2m10s 2m10s"}, log)
	require.Contains(t, k.History().Lines(), "3.000000 p#0 suspended: 120s")
	require.Contains(t, k.History().Lines(), "123.000000 p#0 resumed")
}

func TestSuspend_InAStallAndAStallInASuspend(t *testing.T) {
	for value, want := range map[[2]string]string{
		{"stall 60s", "suspend 90s"}:   "mono 10s at 1m40s", // stalled for ten seconds of its life, then frozen
		{"suspend 60s", "stall 90s"}:   "mono 40s at 1m40s", // frozen for sixty seconds of the world
		{"suspend 60s", "suspend 90s"}: "mono 1s at 1m41s",  // one long freeze
		{"stall 60s", "stall 90s"}:     "mono 1m40s at 1m40s",
	} {
		var got string
		k := New(Config{Epoch: epoch, Decider: nil})
		p := k.Process("p", -1, func(ctx context.Context, p *Process) error {
			err := p.Sleep(ctx, time.Second)
			got = fmt.Sprintf("mono %v at %v", p.Mono(), k.Since())
			return err
		})
		pause := func(v string) {
			value, err := ParseValue(v)
			require.NoError(t, err)
			length, _ := duration(value.Arg)
			k.pause(p, length, value.Verb == "suspend")
		}
		require.NoError(t, k.Run(context.Background(), 0))
		pause(value[0])
		require.NoError(t, k.Run(context.Background(), 10*time.Second))
		pause(value[1])
		require.NoError(t, k.Run(context.Background(), time.Hour))
		require.Equal(t, want, got, value)
		k.Close()
	}
}

func TestHeal_EndsASuspendEarlyAndItsTimersAreOnlySoMuchLater(t *testing.T) {
	var log []string
	d := script(t, "p#0/main  sleep/1  fault  suspend 3600s")
	k := New(Config{Epoch: epoch, Decider: d, Suspends: []time.Duration{time.Minute}})
	defer k.Close()
	k.Process("p", -1, func(ctx context.Context, p *Process) error {
		err := p.Sleep(ctx, 20*time.Second)
		log = append(log, fmt.Sprint(p.Mono(), " ", k.Since()))
		return err
	})
	require.NoError(t, k.Run(context.Background(), time.Minute))
	k.Heal()
	require.NoError(t, k.Run(context.Background(), time.Hour))
	require.Equal(t, []string{"20s 1m20s"}, log)
	require.Empty(t, d.Unused())
}

func TestHeal_TakesTheLatencyAwayFromASleepNotTheSleep(t *testing.T) {
	for lines, want := range map[string]string{
		"p#0/main  sleep/1  latency  3000s": "5m0s",  // asleep in time: it sleeps on as long as it was meant to
		"p#0/main  sleep/2  latency  3000s": "1m40s", // it should be up long since: at once
	} {
		var at time.Duration
		d := script(t, lines)
		k := New(Config{Epoch: epoch, Decider: d, Latencies: []time.Duration{time.Minute}})
		k.Process("p", -1, func(ctx context.Context, p *Process) error {
			length := 300 * time.Second
			if lines[len("p#0/main  sleep/")] == '2' {
				p.Sleep(ctx, time.Second)
				length = 10 * time.Second
			}
			err := p.Sleep(ctx, length)
			at = k.Since()
			return err
		})
		require.NoError(t, k.Run(context.Background(), 100*time.Second))
		require.Zero(t, at)
		k.Heal()
		require.NoError(t, k.Run(context.Background(), time.Hour))
		require.Equal(t, want, at.String(), lines)
		require.Empty(t, d.Unused())
		k.Close()
	}
}
