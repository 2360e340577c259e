package calendar

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func nightly(t require.TestingT, name, at string, every time.Duration, count int) Schedule {
	s := Schedule{Zone: zone(t, name), At: at, Every: every, Count: count}
	require.NoError(t, s.Check())
	return s
}

// B76: a skipped hour loses the run, a repeated hour doubles it.
func TestSlot_OneADayOverBothChangesOfTheClocks(t *testing.T) {
	s := nightly(t, "America/New_York", "02:30", 0, 1)
	require.Equal(t, []string{"2026-03-07T07:30:00Z", "2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"},
		instants(s.Between(utc(t, "2026-03-07T00:00:00Z"), utc(t, "2026-03-10T00:00:00Z"), 10)))
	s = nightly(t, "America/New_York", "01:30", 0, 1)
	require.Equal(t, []string{"2026-10-31T05:30:00Z", "2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"},
		instants(s.Between(utc(t, "2026-10-31T00:00:00Z"), utc(t, "2026-11-03T00:00:00Z"), 10)))
}

func instants(slots []Slot) []string {
	var all []string
	for _, s := range slots {
		all = append(all, s.At.Format(time.RFC3339))
	}
	return all
}

// B04: the timer wakes 8 ms early, and the next slot computed from "now" is the same one twice.
func TestNext_AnEarlyTimerGetsTheSlotItWasSetForAndThenTheFollowing(t *testing.T) {
	s := nightly(t, "UTC", "12:00", time.Minute, 3)
	noon := utc(t, "2026-03-01T12:00:00Z")
	early := noon.Add(-8 * time.Millisecond)
	require.Equal(t, noon, s.Next(early).At)
	require.Equal(t, s.Next(early), s.Next(early))
	require.Equal(t, noon.Add(time.Minute), s.Next(noon).At)
	require.Empty(t, s.Between(noon.Add(-time.Hour), early, 10), "before its time a slot is not due")
}

// B05: two drifted ticks of one slot.
func TestBetween_TwoDriftedTicksFindOneSlot(t *testing.T) {
	s := nightly(t, "UTC", "17:00", 0, 1)
	mark := utc(t, "2026-03-01T16:00:00Z")
	first := s.Between(mark, utc(t, "2026-03-01T16:59:59Z"), 10)
	require.Empty(t, first)
	second := s.Between(mark, utc(t, "2026-03-01T17:00:00Z").Add(800*time.Millisecond), 10)
	require.Len(t, second, 1)
	require.Empty(t, s.Between(second[0].At, utc(t, "2026-03-01T17:01:00Z"), 10))
}

// B07, B11: a slot between two checks, or in a deploy gap, is found by the watermark.
func TestBetween_ASlotInADeployGapIsFoundOnce(t *testing.T) {
	s := nightly(t, "UTC", "12:00", 0, 1)
	noon := utc(t, "2026-03-01T12:00:00Z")
	mark := s.AtOrBefore(noon.Add(-time.Second)).At
	require.Equal(t, "2026-02-28T12:00:00Z", mark.Format(time.RFC3339))
	found := s.Between(mark, noon.Add(2*time.Second), 10)
	require.Len(t, found, 1)
	require.Equal(t, noon, found[0].At)
}

// B38: the host is 90 s behind the database, by whose clock the slot is due.
func TestNext_FollowsTheSlotAndNotTheHostsClock(t *testing.T) {
	s := nightly(t, "UTC", "12:00", time.Minute, 60)
	slot := s.AtOrBefore(utc(t, "2026-03-01T12:00:00Z"))
	require.Equal(t, "2026-03-01T12:01:00Z", s.Next(slot.At).At.Format(time.RFC3339))
}

func TestNightOf_IsTheLocalDateOfTheFirstSlot(t *testing.T) {
	s := nightly(t, "America/New_York", "22:00", time.Hour, 5)
	night, ok := s.NightOf(utc(t, "2026-03-02T05:00:00Z")) // midnight in New York
	require.True(t, ok)
	require.Equal(t, "2026-03-01", night.String())
	_, ok = s.NightOf(utc(t, "2026-03-02T05:00:01Z"))
	require.False(t, ok)
}

func TestBetween_FindsEachSlotOnceWhicheverWayTheIntervalIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := nightly(t,
			rapid.SampledFrom([]string{"America/New_York", "Europe/Vienna", "America/Santiago", "Asia/Beirut", "America/Havana",
				"Australia/Lord_Howe", "UTC"}).Draw(t, "zone"),
			rapid.SampledFrom([]string{"00:00", "00:30", "01:30", "02:00", "02:30", "23:59"}).Draw(t, "at"),
			time.Duration(rapid.IntRange(1, 330).Draw(t, "every"))*time.Minute, rapid.IntRange(1, 5).Draw(t, "count"))
		from := utc(t, "2026-01-01T00:00:00Z").Add(time.Duration(rapid.IntRange(0, 365*24*60).Draw(t, "from")) * time.Minute)
		until := from.Add(time.Duration(rapid.IntRange(0, 5*24*60).Draw(t, "for")) * time.Minute)
		whole := s.Between(from, until, 1000)

		var cut []Slot
		for mark := from; mark.Before(until); {
			to := mark.Add(time.Duration(rapid.IntRange(1, 2000).Draw(t, "step")) * time.Minute)
			if to.After(until) {
				to = until
			}
			most := rapid.IntRange(1, 3).Draw(t, "most")
			found := s.Between(mark, to, most)
			cut = append(cut, found...)
			if mark = to; len(found) == most {
				mark = found[most-1].At
			}
		}
		require.Equal(t, whole, cut)
		for i, slot := range whole {
			require.Equal(t, slot, s.AtOrBefore(slot.At))
			require.NotEqual(t, slot, s.AtOrBefore(slot.At.Add(-1)))
			require.Equal(t, slot, s.Next(slot.At.Add(-1)))
			require.True(t, i == 0 || whole[i-1].At.Before(slot.At))
			night, ok := s.NightOf(slot.At)
			require.True(t, ok)
			require.Equal(t, slot.Night, night)
		}
	})
}

func TestSchedule_CheckSaysWhatIsAccepted(t *testing.T) {
	good := Schedule{Zone: time.UTC, At: "02:00", Every: time.Minute, Count: 3}
	require.NoError(t, good.Check())
	for _, spoil := range []func(*Schedule){func(s *Schedule) { s.At = "2:00" }, func(s *Schedule) { s.At = "24:00" },
		func(s *Schedule) { s.At = "" }, func(s *Schedule) { s.Zone = nil }, func(s *Schedule) { s.Count = 0 },
		func(s *Schedule) { s.Every = 0 }, func(s *Schedule) { s.Every = 12 * time.Hour }} {
		bad := good
		spoil(&bad)
		require.ErrorContains(t, bad.Check(), "accepted")
	}
}
