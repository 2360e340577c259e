package admission_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine/admission"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/postgres"
)

// house is a stage on which several processes tick.
type house struct{ *enginetest.Stage }

// wind moves the database's clock alone.
func (h house) wind(d time.Duration) { h.Exec("update public.clock set at = at + $1::interval", d) }

// lives is a timer of its own in a process of that name.
func (h house) lives(name string, c admission.Config) (*admission.Timer, *[]postgres.Admission) {
	h.T.Helper()
	rt, db := h.Process(name)
	tm, err := admission.NewTimer(rt, db, c)
	require.NoError(h.T, err)
	var all []postgres.Admission
	tm.Admitted(func(a postgres.Admission) {
		if !a.Duplicate {
			all = append(all, a)
		}
	})
	return tm, &all
}

// B02: three processes of one host call themselves alike, and tick around one slot.
func TestTimer_ProcessesThatShareANameAreThreeAndTheirSlotIsOne(t *testing.T) {
	h := house{open(t, "a")}
	h.Exec("insert into recon.schedule values ('nightly', recon.now() - interval '1 hour')")
	ended := make(chan int, 3)
	for range 3 {
		tm, admitted := h.lives("web-1", config())
		go func() {
			_, err := tm.Tick(h.Ctx)
			if err != nil {
				t.Error(err)
			}
			ended <- len(*admitted)
		}()
	}
	require.Equal(t, 1, <-ended+<-ended+<-ended, "the others step down")
	require.Equal(t, "3", h.Text("select count(distinct member_id) from recon.member where process = 'web-1'"))
	require.Equal(t, "a/2026-03-01 1", h.Text("select job_id, (select count(*) from recon.admission) from recon.job"))
}

// B04: the timer wakes 8 ms too early, twice.
func TestTimer_AWakeAHairEarlyWaitsForTheSameSlotAndLosesNone(t *testing.T) {
	h := house{open(t, "a")}
	h.wind(-8 * time.Millisecond)
	tm, admitted := h.lives("worker-2", config())
	for range 2 {
		require.Equal(t, 8*time.Millisecond, tick(h.Stage, tm))
	}
	require.Empty(t, *admitted)
	h.wind(8 * time.Millisecond)
	for range 2 {
		require.Equal(t, time.Hour, tick(h.Stage, tm))
	}
	require.Len(t, *admitted, 1)
	require.Equal(t, at(2, 9), (*admitted)[0].Slot)
	h.wind(time.Hour)
	tick(h.Stage, tm)
	require.Len(t, *admitted, 2)
	require.Equal(t, at(2, 10), (*admitted)[1].Slot, "and the one after it fires")
}

// B05: a tick 0.1 s before a slot and one 59.8 s after it look back over the same minute.
func TestTimer_TicksThatDriftedToBothSidesOfASlotAreOneJobOfItsInstant(t *testing.T) {
	h := house{open(t, "a")}
	early, first := h.lives("worker-2", config())
	late, second := h.lives("worker-3", config())
	h.wind(-100 * time.Millisecond)
	tick(h.Stage, early)
	h.wind(59*time.Second + 900*time.Millisecond)
	tick(h.Stage, late)
	tick(h.Stage, early)
	require.Empty(t, *first)
	require.Len(t, *second, 1)
	require.Equal(t, "2026-03-02 09:00:00+00 1", h.Text("select slot::text, (select count(*) from recon.job) from recon.admission"))
}

// B07: one process stops a second before the slot, the next one starts two seconds after it.
func TestTimer_ASlotBetweenTwoProcessesIsAdmittedByTheSecond(t *testing.T) {
	h := house{open(t, "a")}
	c := config()
	c.LateAfter = time.Second
	h.wind(-time.Second)
	before, _ := h.lives("worker-2", c)
	tick(h.Stage, before)
	h.wind(3 * time.Second)
	after, admitted := h.lives("worker-2", c)
	tick(h.Stage, after)
	require.Len(t, *admitted, 1)
	require.Equal(t, at(2, 9), (*admitted)[0].Slot)
	require.True(t, (*admitted)[0].Late)
	again, none := h.lives("worker-2", c)
	tick(h.Stage, again)
	require.Empty(t, *none)
}

// B08: a slot a day, and no process lives for a day.
func TestTimer_RestartsMoreOftenThanTheSlotsComeLoseNone(t *testing.T) {
	h := house{open(t, "a")}
	c := config()
	c.Schedule.Count = 1
	for range 14*24/7 + 1 { // fourteen days, a start every seven hours
		tm, err := admission.NewTimer(h.Runtime, h.DB, c)
		require.NoError(t, err)
		tick(h.Stage, tm)
		h.Advance(7 * time.Hour)
	}
	require.Equal(t, "14 14", h.Text("select (select count(*) from recon.admission), (select count(distinct window_id) from recon.job)"))
}
