package calendar

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func zone(t require.TestingT, name string) *time.Location {
	loc, err := Zone(name)
	require.NoError(t, err)
	return loc
}

func utc(t require.TestingT, text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at
}

// B81: without tzdata on disk a zone silently becomes UTC.
func TestZone_UnknownIsAnErrorAndNeverUTC(t *testing.T) {
	for _, name := range []string{"", "Local", "America", "America/", "Europe/Wien", "EST5EDT4", "../zone.go", "europe/vienna"} {
		loc, err := Zone(name)
		require.ErrorContains(t, err, "accepted: an IANA name", "%q", name)
		require.Nil(t, loc)
	}
	require.Equal(t, "America/Anchorage", zone(t, "America/Anchorage").String())
}

func TestZone_IsTheSameOnAHostWithoutZones(t *testing.T) {
	t.Setenv("ZONEINFO", "/nowhere")
	at := utc(t, "2026-07-01T12:00:00Z").In(zone(t, "Europe/Vienna"))
	require.Equal(t, "14:00 CEST", at.Format("15:04 MST"))
}

// When the Go of this machine ships another release, our copy is compared with nothing; with the same, byte by byte.
func TestZones_AreTheReleaseTheyClaim(t *testing.T) {
	require.Greater(t, len(zoneFiles()), 500)
	shipped, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "lib", "time", "zoneinfo.zip"))
	script, errScript := os.ReadFile(filepath.Join(runtime.GOROOT(), "lib", "time", "update.bash"))
	if err == nil && errScript == nil && containsLine(string(script), "DATA="+ZonesVersion) {
		require.Equal(t, shipped, zoneinfo)
	}
}

func containsLine(text, line string) bool {
	for len(text) > 0 {
		i := 0
		for i < len(text) && text[i] != '\n' {
			i++
		}
		if text[:i] == line {
			return true
		}
		text = text[min(i+1, len(text)):]
	}
	return false
}

func TestInstant_InAGapIsItsEndAndInAnOverlapTheFirst(t *testing.T) {
	for _, c := range []struct{ zone, date, wall, want string }{
		{"America/New_York", "2026-03-08", "02:30", "2026-03-08T07:00:00Z"}, // gap 02:00–03:00
		{"America/New_York", "2026-11-01", "01:30", "2026-11-01T05:30:00Z"}, // twice
		{"America/New_York", "2026-03-08", "01:59", "2026-03-08T06:59:00Z"},
		{"America/New_York", "2026-03-08", "03:00", "2026-03-08T07:00:00Z"},
		{"Europe/Vienna", "2026-03-29", "02:00", "2026-03-29T01:00:00Z"},
		{"Europe/Vienna", "2026-10-25", "02:00", "2026-10-25T00:00:00Z"},
		{"America/Santiago", "2026-09-06", "00:00", "2026-09-06T04:00:00Z"},    // midnight itself is skipped
		{"America/Havana", "2026-11-01", "00:30", "2026-11-01T04:30:00Z"},      // midnight comes twice
		{"Pacific/Apia", "2011-12-30", "09:00", "2011-12-30T10:00:00Z"},        // a day that never was
		{"Australia/Lord_Howe", "2026-10-04", "02:15", "2026-10-03T15:30:00Z"}, // half an hour
		{"Pacific/Kiritimati", "2026-03-01", "00:00", "2026-02-28T10:00:00Z"},
		{"UTC", "2026-03-01", "02:00", "2026-03-01T02:00:00Z"},
	} {
		date, err := ParseDate(c.date)
		require.NoError(t, err)
		wall, err := time.Parse("15:04", c.wall)
		require.NoError(t, err)
		got := instant(date, wall.Sub(wall.Truncate(24*time.Hour)), zone(t, c.zone))
		require.Equal(t, c.want, got.Format(time.RFC3339), "%s %s %s", c.zone, c.date, c.wall)
	}
}

// The plain twin: walk every minute of three days and take the first that shows the wall time or passed it.
func TestInstant_IsTheFirstMinuteThatShowsOrPassedTheWallTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loc := zone(t, rapid.SampledFrom([]string{"America/New_York", "Europe/Vienna", "Australia/Lord_Howe", "Asia/Kolkata",
			"America/Santiago", "America/Havana", "Africa/Casablanca", "Asia/Beirut"}).Draw(t, "zone"))
		date := Date{2026, 1, 1}.AddDays(rapid.IntRange(0, 730).Draw(t, "day"))
		minute := rapid.IntRange(0, 24*60-1).Draw(t, "minute")
		want := time.Time{}
		for at := date.utc().Add(-15 * time.Hour); want.IsZero(); at = at.Add(time.Minute) {
			local := at.In(loc)
			onDay := DateIn(at, loc).daysSince(date)
			if onDay > 0 || onDay == 0 && local.Hour()*60+local.Minute() >= minute {
				want = at
			}
		}
		require.Equal(t, want, instant(date, time.Duration(minute)*time.Minute, loc))
	})
}
