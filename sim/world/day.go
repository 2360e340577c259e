package world

import (
	"fmt"
	"time"
	_ "time/tzdata" // a machine without zones makes the same world
)

const dateForm = "2006-01-02"

// homes are where generated accounts live: each zone with the lags its provider may have. All are such that the
// local day before a night is reported by 02:00Z of it; two hours in UTC is due at that very instant.
var homes = []struct {
	zone string
	lags []time.Duration
}{
	{"UTC", []time.Duration{time.Hour, 2 * time.Hour}},
	{"Europe/Berlin", []time.Duration{2 * time.Hour, 150 * time.Minute}},
	{"Europe/London", []time.Duration{90 * time.Minute}},
	{"Asia/Kolkata", []time.Duration{5 * time.Hour, 7 * time.Hour}},
	{"Asia/Tokyo", []time.Duration{6 * time.Hour}},
	{"Pacific/Auckland", []time.Duration{8 * time.Hour}},
}

// day is the local day with this date: from its midnight to the next, however many hours that is.
func day(zone, date string, lag time.Duration) (Window, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return Window{}, fmt.Errorf("zone %q: %w", zone, err)
	}
	at, err := time.ParseInLocation(dateForm, date, loc)
	if err != nil {
		return Window{}, fmt.Errorf("window %q: accepted is a date like 2026-03-01", date)
	}
	start := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, loc)
	end := time.Date(at.Year(), at.Month(), at.Day()+1, 0, 0, 0, 0, loc)
	return Window{ID: date, Start: start.UTC(), End: end.UTC(), DueAt: end.UTC().Add(lag)}, nil
}

// dayAt is the local day an instant lies in, or the one so many days from it.
func dayAt(zone string, lag time.Duration, at time.Time, days int) (Window, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return Window{}, fmt.Errorf("zone %q: %w", zone, err)
	}
	return day(zone, at.In(loc).AddDate(0, 0, days).Format(dateForm), lag)
}

// lastDay is the newest local day whose statement is there at the instant given.
func lastDay(zone string, lag time.Duration, at time.Time) (Window, error) {
	return dayAt(zone, lag, at.Add(-lag), -1)
}

// night is the first 02:00Z at or after an instant: when what is due then is admitted.
func night(after time.Time) time.Time {
	n := time.Date(after.UTC().Year(), after.UTC().Month(), after.UTC().Day(), 2, 0, 0, 0, time.UTC)
	if n.Before(after) {
		n = n.Add(24 * time.Hour)
	}
	return n
}

// firstAt is the first instant at or after another at which clocks of a zone show the local time given: 02:30.
func firstAt(zone, local string, after time.Time) (time.Time, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return time.Time{}, fmt.Errorf("zone %q: %w", zone, err)
	}
	clock, err := time.Parse("15:04", local)
	if err != nil {
		return time.Time{}, fmt.Errorf("time %q: accepted is a local time like 02:30", local)
	}
	for day := after.In(loc).AddDate(0, 0, -1); ; day = day.AddDate(0, 0, 1) {
		if at := wall(loc, day.Year(), day.Month(), day.Day(), clock.Hour(), clock.Minute()); !at.Before(after) {
			return at.UTC(), nil
		}
	}
}

// wall is the instant of a local time: the end of a gap that leaves it out, the first of two.
func wall(loc *time.Location, year int, month time.Month, day, hour, minute int) time.Time {
	t := time.Date(year, month, day, hour, minute, 0, 0, loc)
	start, end := t.ZoneBounds()
	switch {
	case t.Hour() == hour && t.Minute() == minute:
		if before, ok := shown(t, start.Add(-1)); ok && before.Before(start) {
			return before
		}
		return t
	case t.Sub(start) < end.Sub(t): // read with the clocks as they are after the change
		return start
	default:
		return end
	}
}

// shown is when clocks as they are at another time would show what they show at t; false where that is t itself.
func shown(t, other time.Time) (time.Time, bool) {
	_, ours := t.Zone()
	_, theirs := other.In(t.Location()).Zone()
	return t.Add(time.Duration(ours-theirs) * time.Second), ours != theirs
}

// shownAgain is the second time of two at which clocks in a zone show the same; false for any other.
func shownAgain(zone string, at time.Time) (time.Time, bool) {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return time.Time{}, false
	}
	t := at.In(loc)
	_, end := t.ZoneBounds()
	again, ok := shown(t, end)
	return again.UTC(), ok && !end.IsZero() && !again.Before(end)
}
