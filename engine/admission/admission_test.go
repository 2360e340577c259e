package admission_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/admission"
	"github.com/recondrill/recondrill/engine/calendar"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/postgres"
)

// config has slots at 09:00, 10:00 and 11:00 UTC.
func config() admission.Config {
	return admission.Config{Token: "nightly", Schedule: calendar.Schedule{Zone: time.UTC, At: "09:00", Every: time.Hour, Count: 3}}
}

func at(day, hour int) time.Time { return time.Date(2026, 3, day, hour, 0, 0, 0, time.UTC) }

// open makes accounts whose window of 1 March is due.
func open(t *testing.T, accounts ...string) *enginetest.Stage {
	t.Helper()
	s := server.Open(t)
	add(s, "Europe/Vienna", accounts...)
	return s
}

func add(s *enginetest.Stage, zone string, accounts ...string) {
	vienna, err := calendar.Zone("Europe/Vienna")
	require.NoError(s.T, err)
	plan := calendar.Plan{Zone: vienna, Unit: calendar.Daily, Anchor: calendar.Date{Year: 2026, Month: 3, Day: 1}, Lag: 4 * time.Hour}
	var all []postgres.Account
	var windows []postgres.Window
	for _, id := range accounts {
		all = append(all, postgres.Account{ID: engine.AccountID(id), Zone: zone, ProviderLag: 4 * time.Hour})
		windows = append(windows, postgres.Window{Account: engine.AccountID(id), Window: plan.First()})
	}
	require.NoError(s.T, s.DB.AddAccounts(s.Ctx, all))
	require.NoError(s.T, s.DB.AddWindows(s.Ctx, windows))
}

func admit(s *enginetest.Stage, c admission.Config, slot time.Time) postgres.Admission {
	s.T.Helper()
	a, err := admission.Admit(s.Ctx, s.Runtime, s.DB, c, slot)
	require.NoError(s.T, err)
	return a
}

func TestAdmit_ManyTicksOfOneSlotAreOneAdmission(t *testing.T) { // B02 B03
	s := open(t, "a")
	type answer struct {
		a   postgres.Admission
		err error
	}
	answers := make(chan answer, 4)
	for i := range 4 {
		rt, db := s.Process("worker-" + fmt.Sprint(i))
		go func() {
			a, err := admission.Admit(s.Ctx, rt, db, config(), at(2, 9))
			answers <- answer{a, err}
		}()
	}
	first, requests := 0, map[string]bool{}
	for range 4 {
		got := <-answers
		require.NoError(t, got.err)
		if !got.a.Duplicate {
			first++
		}
		requests[got.a.RequestID] = true
		require.Equal(t, 1, got.a.Inserted, "everyone gets the stored answer")
	}
	require.Equal(t, 1, first)
	require.Len(t, requests, 1)
	require.Equal(t, "1 1", s.Text("select (select count(*) from recon.admission), (select count(*) from recon.job)"))
}

func TestAdmit_ATickTooEarlyWaitsForItsSlotAndTheNextOneStillFires(t *testing.T) { // B04
	s := open(t, "a")
	s.Exec("update public.clock set at = at - interval '8 milliseconds'")
	_, err := admission.Admit(s.Ctx, s.Runtime, s.DB, config(), at(2, 9))
	require.ErrorIs(t, err, postgres.ErrEarly, "this stage's sleeps are over at once")
	require.Equal(t, "0 0", s.Text("select (select count(*) from recon.admission), (select count(*) from recon.night)"), "and nothing is done")
	s.Advance(8 * time.Millisecond)
	require.False(t, admit(s, config(), at(2, 9)).Duplicate)
	require.True(t, admit(s, config(), at(2, 9)).Duplicate)
	s.Advance(time.Hour)
	require.False(t, admit(s, config(), at(2, 10)).Duplicate)
}

func TestAdmit_DriftedTicksMeetAtTheSlot(t *testing.T) { // B05
	s := open(t, "a")
	c := config()
	for _, tick := range []time.Duration{time.Second, 59*time.Second + 800*time.Millisecond} {
		admit(s, c, c.Schedule.AtOrBefore(at(2, 9).Add(tick)).At)
	}
	require.Equal(t, "1 1", s.Text("select (select count(*) from recon.admission), (select count(*) from recon.job)"))
}

func TestAdmit_WhatIsNoSlotIsRefused(t *testing.T) {
	s := open(t, "a")
	_, err := admission.Admit(s.Ctx, s.Runtime, s.DB, config(), at(2, 9).Add(time.Second))
	require.ErrorContains(t, err, "2026-03-02T09:00:01Z is no slot of nightly; accepted is an instant of the schedule, the last one before it is 2026-03-02T09:00:00Z")
	_, err = admission.Admit(s.Ctx, s.Runtime, s.DB, admission.Config{Token: "x"}, at(2, 9))
	require.ErrorContains(t, err, "schedule")
}

func TestAdmit_ANightGoesOnFromItsCommittedCursorAndClosesWhenNothingIsLeft(t *testing.T) {
	s := open(t, "c", "a", "e", "b", "d")
	c := config()
	c.Bound = 2
	first := admit(s, c, at(2, 9))
	require.Equal(t, "a/2026-03-01 b/2026-03-01 2 2 3 false",
		fmt.Sprint(first.FirstKey, " ", first.LastKey, " ", first.Selected, " ", first.Inserted, " ", first.Due, " ", first.NightClosed))
	require.Equal(t, "open b 2026-03-01", s.Text("select state, cursor_account, cursor_window from recon.night"))
	s.Advance(time.Hour)
	require.Equal(t, "c/2026-03-01", admit(s, c, at(2, 10)).FirstKey)
	s.Advance(time.Hour)
	last := admit(s, c, at(2, 11))
	require.Equal(t, 1, last.Inserted)
	require.True(t, last.NightClosed)
	require.Equal(t, "a b c d e", s.Text("select string_agg(account_id, ' ' order by account_id) from recon.job"))
	require.Equal(t, "5", s.Text("select count(*) from recon.window where window_id = '2026-03-02'"), "each next window is written one ahead")
	require.Equal(t, "a/2026-03-01 b/2026-03-01 2 2\nc/2026-03-01 d/2026-03-01 2 2\ne/2026-03-01 e/2026-03-01 1 1",
		s.Text("select first_key, last_key, selected, inserted from recon.admission order by slot"))
}

func TestAdmit_TheOldestOpenNightComesFirst(t *testing.T) {
	s := open(t, "a", "b", "c")
	c := config()
	c.Bound = 1
	admit(s, c, at(2, 9))
	s.Advance(24 * time.Hour) // everyone's next window is due too
	require.Equal(t, "2026-03-02", admit(s, c, at(3, 9)).Night)
	require.Equal(t, "open\nopen", s.Text("select state from recon.night order by night_id"))
	c.Bound = 10
	s.Advance(time.Hour)
	require.Equal(t, "2026-03-02", admit(s, c, at(3, 10)).Night)
	s.Advance(time.Hour)
	require.Equal(t, "2026-03-02", admit(s, c, at(3, 11)).Night, "b's next window was written one ahead by 10:00")
	require.Equal(t, "6 0", s.Text(`select count(*), count(*) filter (where j.job_id is null) from recon.window w left join recon.job j using (account_id, window_id) where w.due_at <= recon.now()`))
}

func TestAdmit_AnAccountThatCameLaterIsFoundBehindTheCursor(t *testing.T) {
	s := open(t, "b", "c")
	c := config()
	c.Bound = 1
	admit(s, c, at(2, 9))
	add(s, "Europe/Vienna", "a")
	s.Advance(time.Hour)
	c.Bound = 2
	got := admit(s, c, at(2, 10))
	require.Equal(t, "c/2026-03-01", got.FirstKey)
	require.False(t, got.NightClosed)
	s.Advance(time.Hour)
	got = admit(s, c, at(2, 11))
	require.Equal(t, "a/2026-03-01", got.FirstKey)
	require.True(t, got.NightClosed)
}

func TestAdmit_AnAccountWhoseZoneDoesNotLoadStopsNobody(t *testing.T) { // B18
	s := open(t, "b", "c")
	add(s, "Europe/Vienn", "a")
	got := admit(s, config(), at(2, 9))
	require.Equal(t, 3, got.Inserted)
	require.Equal(t, "b\nc", s.Text("select account_id from recon.window where window_id = '2026-03-02' order by 1"))
	require.Equal(t, "window_not_written a", s.Text("select kind, subject from recon.alarm"))
	require.Contains(t, s.Text("select detail from recon.alarm"), `zone "Europe/Vienn"`)
	s.Advance(25 * time.Hour)
	admit(s, config(), at(3, 9))
	require.Equal(t, "", s.Text("select cleared_at from recon.alarm where cleared_at is not null"), "it is still not written")
	s.Exec("update recon.account set zone = 'Europe/Vienna' where account_id = 'a'")
	s.Advance(24 * time.Hour)
	admit(s, config(), at(4, 9))
	require.Equal(t, "2026-03-02", s.Text("select max(window_id) from recon.window where account_id = 'a'"), "the line goes on where it broke off")
	require.Equal(t, "window_not_written a", s.Text("select kind, subject from recon.alarm where cleared_at is not null"))
	s.Advance(time.Minute)
	admit(s, config(), at(4, 10))
	require.Equal(t, "a/2026-03-02", s.Text("select job_id from recon.job where account_id = 'a' order by 1 desc limit 1"))
}

func TestAdmit_OnlyAPersonSkipsAWindow(t *testing.T) {
	s := open(t, "a", "b")
	s.Exec("update recon.window set skipped_by = 'person:ann', skipped_why = 'closed shop' where account_id = 'a'")
	got := admit(s, config(), at(2, 9))
	require.Equal(t, "b/2026-03-01", got.FirstKey)
	require.True(t, got.NightClosed)
}

func TestAdmit_APauseChangesNothing(t *testing.T) {
	s := open(t, "a")
	s.Exec(`insert into recon.pause (scope, name, why, until, by_whom, since) values ('schedule', 'nightly', 'x', recon.now() + interval '1 hour', 'person:ann', recon.now())`)
	_, err := admission.Admit(s.Ctx, s.Runtime, s.DB, config(), at(2, 9))
	require.ErrorIs(t, err, postgres.ErrPaused)
	s.Advance(time.Hour)
	require.True(t, admit(s, config(), at(2, 9)).Late)
}

func timer(s *enginetest.Stage) (*admission.Timer, *[]postgres.Admission) {
	tm, err := admission.NewTimer(s.Runtime, s.DB, config())
	require.NoError(s.T, err)
	var all []postgres.Admission
	tm.Admitted(func(a postgres.Admission) { all = append(all, a) })
	return tm, &all
}

func tick(s *enginetest.Stage, tm *admission.Timer) time.Duration {
	s.T.Helper()
	wait, err := tm.Tick(s.Ctx)
	require.NoError(s.T, err)
	return wait
}

func TestTimer_ASlotLostInADeployGapIsAdmittedOnceAndLate(t *testing.T) { // B07
	s := open(t, "a")
	before, _ := timer(s)
	s.Advance(-time.Second)
	require.Equal(t, time.Second, tick(s, before))
	s.Advance(3 * time.Minute) // nobody is there at 09:00
	after, got := timer(s)
	require.Equal(t, 57*time.Minute+time.Second, tick(s, after))
	require.Len(t, *got, 1)
	require.True(t, (*got)[0].Late)
	require.Equal(t, at(2, 9), (*got)[0].Slot)
	require.Equal(t, 57*time.Minute+time.Second, tick(s, before))
	require.Equal(t, "1", s.Text("select count(*) from recon.admission"))
}

func TestTimer_RestartsDoNotPushTheNextRunAway(t *testing.T) { // B08
	s := open(t, "a")
	slots := 0
	for range 12 { // a restart every 20 minutes, slots once an hour
		tm, got := timer(s)
		tick(s, tm)
		slots += len(*got)
		s.Advance(20 * time.Minute)
	}
	// Begun at 09:00 sharp: 10:00 and 11:00 are the next slots.
	require.Equal(t, 2, slots)
}

// B38: the host is 90 s behind the database.
func TestTimer_TheNextSlotFollowsTheSlotAndNotTheHost(t *testing.T) { // B38
	s := open(t, "a")
	tm, got := timer(s)
	tick(s, tm)
	s.Advance(time.Hour)
	s.Runtime.Advance(-90 * time.Second) // the host is 90 s behind
	require.Equal(t, time.Hour, tick(s, tm))
	require.Equal(t, time.Hour, tick(s, tm))
	require.Len(t, *got, 1)
}

func TestTimer_ALongAbsenceDropsTicksAndNoWindows(t *testing.T) {
	s := open(t, "a")
	c := config()
	c.CatchUpMax = 2
	tm, err := admission.NewTimer(s.Runtime, s.DB, c)
	require.NoError(t, err)
	_, err = tm.Tick(s.Ctx)
	require.NoError(t, err)
	s.Advance(10 * 24 * time.Hour)
	_, err = tm.Tick(s.Ctx)
	require.NoError(t, err)
	require.Equal(t, "2", s.Text("select count(*) from recon.admission"))
	for range 12 {
		s.Advance(8 * time.Hour)
		_, err = tm.Tick(s.Ctx)
		require.NoError(t, err)
	}
	require.Equal(t, "0", s.Text(`select count(*) from recon.window w left join recon.job j using (account_id, window_id)
		where w.due_at <= recon.now() - interval '1 day' and j.job_id is null`))
}
