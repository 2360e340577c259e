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

func TestCron_AHostThatWasOffMakesUpForWhatItMissedAsItComesUp(t *testing.T) {
	for value, want := range map[string]time.Duration{"": -5 * time.Minute, "late 85800s": 0} {
		var deviations []sim.Deviation
		if value != "" {
			deviations = append(deviations, at(t, "cron-1 tick 2026-03-01T02:10:00Z/1", sim.Fault, value))
		}
		back := 23*time.Hour + 50*time.Minute
		s := newStage(t, Setup{Crons: []CronSetup{{Name: "cron-1", Back: back, Apart: []time.Duration{back}}}}, deviations...)
		require.Equal(t, []time.Time{time.Date(2026, 3, 1, 2, 10, 0, 0, time.UTC)}, s.w.Cron("cron-1").Slots())
		var off []time.Duration
		s.w.Cron("cron-1").Run(func(context.Context, time.Time, int) {
			off = append(off, s.k.Now().Sub(DefaultEpoch.Add(5*time.Minute)))
		})
		s.run(time.Hour)
		require.Equal(t, []time.Duration{want}, off, value)
	}
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
		require.NotContains(t, string(s.w.Provider.statement(p.Account, s.w.account(p.Account).Windows[0])), p.Ref)
		require.Contains(t, string(s.w.Provider.statement(p.Account, s.w.windowAt(p.Account, p.At))), p.Ref)
	}
}

func TestRun_SameSeedSameHistory(t *testing.T) {
	hash := func() string {
		s := newStage(t, Setup{PayersDuring: true, Crons: []CronSetup{{Name: "cron-1", Slots: 2}}},
			at(t, firstPayment(t, Setup{}).address(1), sim.Outcome, effectLater+" 45s"))
		s.w.Cron("cron-1").Run(func(context.Context, time.Time, int) {})
		for _, ch := range s.w.Channels {
			ch.OnReceipt(func(Receipt) error { return nil })
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

func TestCron_TheHourThatIsLeftOutAndTheHourThatComesTwice(t *testing.T) {
	for _, c := range []struct {
		epoch, slot, decided string
		want                 []string
	}{
		{"2026-03-29T00:55:00Z", "2026-03-29T01:00:00Z", "", []string{"0s"}},
		{"2026-03-29T00:55:00Z", "2026-03-29T01:00:00Z", "gap missed", nil},
		{"2026-03-29T00:55:00Z", "2026-03-29T01:00:00Z", "gap late 3600s", []string{"1h0m0s"}},
		{"2026-10-25T00:25:00Z", "2026-10-25T00:30:00Z", "", []string{"0s"}},
		{"2026-10-25T00:25:00Z", "2026-10-25T00:30:00Z", "repeat 3600s", []string{"0s", "1h0m0s"}},
	} {
		epoch, err := time.Parse(time.RFC3339, c.epoch)
		require.NoError(t, err)
		var deviations []sim.Deviation
		if c.decided != "" {
			deviations = append(deviations, at(t, "cron-1 tick "+c.slot+"/1", sim.Fault, c.decided))
		}
		s := newStage(t, Setup{Epoch: epoch, Crons: []CronSetup{{Name: "cron-1", At: "02:30", Zone: "Europe/Berlin"}}}, deviations...)
		slot := s.w.Cron("cron-1").Slots()[0]
		require.Equal(t, c.slot, slot.Format(time.RFC3339))
		var fired []string
		s.w.Cron("cron-1").Run(func(_ context.Context, of time.Time, _ int) {
			require.Equal(t, slot, of)
			fired = append(fired, s.k.Now().Sub(DefaultEpoch).String())
		})
		// The kernel of a stage begins at another time than this world; only what lies between counts.
		s.run(24 * 365 * time.Hour)
		require.Len(t, fired, len(c.want), c.decided)
		require.Len(t, s.k.History().Used, len(deviations), c.decided)
	}
}

func TestWall_IsTheEndOfAGapAndTheFirstOfTwo(t *testing.T) {
	for zone, want := range map[string][2]string{
		"Europe/Berlin": {"2026-03-29T01:00:00Z", "2026-10-25T00:30:00Z"},
		"Europe/London": {"2026-03-29T02:30:00Z", "2026-10-25T02:30:00Z"},
		"UTC":           {"2026-03-29T02:30:00Z", "2026-10-25T02:30:00Z"},
	} {
		for i, day := range []string{"2026-03-29T00:00:00Z", "2026-10-25T00:00:00Z"} {
			after, err := time.Parse(time.RFC3339, day)
			require.NoError(t, err)
			if zone == "Europe/London" && i == 0 {
				want[0] = "2026-03-29T01:30:00Z" // summer time already
			}
			at, err := firstAt(zone, "02:30", after)
			require.NoError(t, err)
			require.Equal(t, want[i], at.Format(time.RFC3339), zone)
		}
	}
	_, err := firstAt("UTC", "half past two", DefaultEpoch)
	require.ErrorContains(t, err, "accepted is a local time like 02:30")
}
