package calendar

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func ids(p Plan, n int) []string {
	var all []string
	for i := range n {
		all = append(all, p.Window(i).ID)
	}
	return all
}

// E2-15, E2-16, E2-28, B80: a clamped month end must not become the anchor.
func TestWindow_TheThirtyFirstComesBack(t *testing.T) {
	p := Plan{Zone: zone(t, "Europe/Paris"), Unit: Monthly, Anchor: Date{2017, 1, 31}}
	require.Equal(t, []string{"2017-01-31", "2017-02-28", "2017-03-31", "2017-04-30", "2017-05-31"}, ids(p, 5))
	w, err := p.Next("2017-02-28")
	require.NoError(t, err)
	require.Equal(t, "2017-03-31", w.ID)
	p = Plan{Zone: time.UTC, Unit: Yearly, Anchor: Date{2024, 2, 29}}
	require.Equal(t, []string{"2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"}, ids(p, 5))
}

// E2-17
func TestWindow_OnALeapDayTheNewPeriodHasBegun(t *testing.T) {
	p := Plan{Zone: time.UTC, Unit: Monthly, Anchor: Date{2024, 1, 30}}
	w, ok := p.At(utc(t, "2024-02-29T00:00:00Z"))
	require.True(t, ok)
	require.Equal(t, "2024-02-29", w.ID)
	require.Equal(t, "2024-03-30T00:00:00Z", w.End.Format(time.RFC3339))
}

// E4-55
func TestWindow_ALocalDayHasTwentyThreeOrTwentyFiveHours(t *testing.T) {
	p := Plan{Zone: zone(t, "Europe/Vienna"), Unit: Daily, Anchor: Date{2026, 1, 1}, Lag: 6 * time.Hour}
	for date, hours := range map[string]time.Duration{"2026-03-29": 23, "2026-10-25": 25, "2026-08-03": 24} {
		day, err := ParseDate(date)
		require.NoError(t, err)
		w, ok := p.At(day.In(p.Zone))
		require.True(t, ok)
		require.Equal(t, date, w.ID)
		require.Equal(t, hours*time.Hour, w.End.Sub(w.Start))
		require.Equal(t, 6*time.Hour, w.DueAt.Sub(w.End))
	}
}

// E2-21, E2-23
func TestWindow_TheDayIsTheAccountsAndNotUTCs(t *testing.T) {
	p := Plan{Zone: zone(t, "Asia/Tokyo"), Unit: Daily, Anchor: Date{2023, 1, 1}}
	for _, at := range []string{"2023-02-28T15:10:00Z", "2023-02-28T16:10:00Z", "2023-03-01T00:10:00Z"} {
		w, ok := p.At(utc(t, at))
		require.True(t, ok)
		require.Equal(t, "2023-03-01", w.ID)
	}
}

func TestWindow_NoInstantIsInTwoOrInNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Plan{
			Zone: zone(t, rapid.SampledFrom([]string{"America/New_York", "Europe/Vienna", "America/Santiago", "Asia/Beirut",
				"America/Havana", "Pacific/Kiritimati", "UTC"}).Draw(t, "zone")),
			Unit:   rapid.SampledFrom([]Unit{Daily, Weekly, Monthly, Yearly}).Draw(t, "unit"),
			Anchor: Date{2024, 1, 1}.AddDays(rapid.IntRange(0, 400).Draw(t, "anchor")),
			Lag:    time.Duration(rapid.IntRange(0, 48).Draw(t, "lag")) * time.Hour,
		}
		require.NoError(t, p.Check())
		n := rapid.IntRange(0, 300).Draw(t, "n")
		if p.Unit == Yearly {
			n %= 20
		}
		w, next := p.Window(n), p.Window(n+1)
		require.True(t, w.Start.Before(w.End))
		require.Equal(t, w.End, next.Start)
		require.Equal(t, w.End.Add(p.Lag), w.DueAt)
		stored, err := p.Next(w.ID)
		require.NoError(t, err)
		require.Equal(t, next, stored)
		for _, at := range []time.Time{w.Start, w.Start.Add(w.End.Sub(w.Start) / 2), w.End.Add(-1)} {
			found, ok := p.At(at)
			require.True(t, ok)
			require.Equal(t, w, found)
		}
	})
}

func TestWindow_BeforeTheAnchorThereIsNone(t *testing.T) {
	p := Plan{Zone: time.UTC, Unit: Weekly, Anchor: Date{2026, 3, 4}}
	_, ok := p.At(utc(t, "2026-03-03T23:59:59Z"))
	require.False(t, ok)
	w, ok := p.At(utc(t, "2026-03-04T00:00:00Z"))
	require.True(t, ok)
	require.Equal(t, p.First(), w)
}

func TestNext_RefusesWhatIsNoWindowOfThePlan(t *testing.T) {
	p := Plan{Zone: time.UTC, Unit: Monthly, Anchor: Date{2026, 1, 31}}
	for _, id := range []string{"", "2026-02-31", "2026-02-27", "2025-12-31", "yesterday"} {
		_, err := p.Next(id)
		require.ErrorContains(t, err, "window ", id)
	}
}

func TestPlan_CheckSaysWhatIsAccepted(t *testing.T) {
	good := Plan{Zone: time.UTC, Unit: Daily, Anchor: Date{2026, 1, 1}}
	require.NoError(t, good.Check())
	for _, spoil := range []func(*Plan){func(p *Plan) { p.Unit = "hour" }, func(p *Plan) { p.Zone = nil },
		func(p *Plan) { p.Anchor = Date{} }, func(p *Plan) { p.Lag = -1 }} {
		bad := good
		spoil(&bad)
		require.ErrorContains(t, bad.Check(), "accepted")
	}
}
