package world

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// ticks runs a host of two daily slots and says when it fired, relative to the first.
func ticks(t *testing.T, heal time.Duration, deviations ...sim.Deviation) (fired []string, s *stage) {
	s = newStage(t, Setup{Crons: []CronSetup{{Name: "cron-1", Slots: 2}}}, deviations...)
	first := s.w.Cron("cron-1").Slots()[0]
	require.Equal(t, time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC), first)
	s.w.Cron("cron-1").Run(func(_ context.Context, slot time.Time, n int) {
		fired = append(fired, slot.Format("02")+"."+strconv.Itoa(n)+" "+s.k.Now().Sub(slot).String())
	})
	if heal > 0 {
		s.run(heal)
		s.k.Heal()
	}
	s.run(50 * time.Hour)
	return fired, s
}

func TestCron_FiresEachSlotOnTime(t *testing.T) {
	fired, _ := ticks(t, 0)
	require.Equal(t, []string{"02.0 0s", "03.0 0s"}, fired)
}

func TestCron_FiresOnTimeAlsoAfterTheRunIsHealed(t *testing.T) {
	fired, _ := ticks(t, time.Minute)
	require.Equal(t, []string{"02.0 0s", "03.0 0s"}, fired)
}

func TestCron_TickUnderEachFault(t *testing.T) {
	for value, want := range map[string][]string{
		"duplicate 40s": {"02.0 0s", "02.1 40s", "03.0 0s"},
		"early 40s":     {"02.0 -40s", "03.0 0s"},
		"late 300s":     {"02.0 5m0s", "03.0 0s"},
		"missing":       {"03.0 0s"},
	} {
		fired, s := ticks(t, 0, at(t, "cron-1 tick 2026-03-02T02:00:00Z/1", sim.Fault, value))
		require.Equal(t, want, fired, value)
		require.Len(t, s.k.History().Used, 1)
		if value == "duplicate 40s" {
			require.Equal(t, "cron-1 2026-03-02T02:00:00Z 1 40s", s.marks("fired")[1], "slot, which firing of it, how far off")
		}
		if value == "missing" {
			require.Equal(t, []string{"cron-1 2026-03-02T02:00:00Z"}, s.marks("missed"))
		}
	}
}

func TestPayers_PayDuringTheRunAndShowInALaterStatement(t *testing.T) {
	s := newStage(t, Setup{PayersDuring: true, Accounts: 4, CustomersPer: 4})
	before := len(s.w.Truth().Payments)
	s.run(48 * time.Hour)
	during := s.w.Truth().Payments[before:]
	require.NotEmpty(t, during)
	for _, p := range during {
		require.True(t, p.At.After(DefaultEpoch))
		require.NotEqual(t, "2026-03-01", p.Window)
		require.NotContains(t, string(s.w.Provider.statement(p.Account, s.w.account(p.Account).Windows[0], true)), p.Ref)
		require.Contains(t, string(s.w.Provider.statement(p.Account, s.w.windowAt(p.Account, p.At), true)), p.Ref)
	}
}

func TestRun_SameSeedSameHistory(t *testing.T) {
	hash := func() string {
		s := newStage(t, Setup{PayersDuring: true, Crons: []CronSetup{{Name: "cron-1", Slots: 2}}},
			at(t, firstPayment(t, Setup{}).address(1), sim.Outcome, effectLater+" 45s"))
		s.w.Cron("cron-1").Run(func(context.Context, time.Time, int) {})
		for _, ch := range s.w.Channels {
			ch.OnReceipt(func(context.Context, Receipt) error { return nil })
		}
		s.process(func(ctx context.Context, p *sim.Process) {
			r := s.refund("k1")
			within(ctx, p, 20*time.Second, func(ctx context.Context) Answer { return r.call(ctx, s.w) })
			for _, name := range []string{"email", "sms", "push"} {
				s.w.Channel(name).Send(ctx, s.w.message(name, "k"))
			}
			s.w.Provider.Statement(ctx, "acct_1", "2026-03-01")
		})
		s.run(50 * time.Hour)
		return s.k.History().Hash()
	}
	require.Equal(t, hash(), hash())
}
