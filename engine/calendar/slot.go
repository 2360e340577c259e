package calendar

import (
	"fmt"
	"time"
)

// Schedule is when an account group's nights admit: each day at a local time, and then Count−1 more times, Every
// apart on the real clock, so that a night's slots neither stretch nor meet over a change of the clocks.
type Schedule struct {
	Zone  *time.Location
	At    string // local, 02:00
	Every time.Duration
	Count int // slots a night, 1 or more
}

// Slot is one canonical instant of a schedule.
type Slot struct {
	Night Date // the local date of the night's first slot
	Nth   int  // from 0
	At    time.Time
}

// String names the slot by the business: 2026-03-01/0.
func (s Slot) String() string { return fmt.Sprintf("%s/%d", s.Night, s.Nth) }

// nightMax is the longest a night may take: a local day has at least 22 hours in any zone of today.
const nightMax = 22 * time.Hour

// Check says what is wrong with a schedule.
func (s Schedule) Check() error {
	switch _, err := s.sinceMidnight(); {
	case err != nil:
		return err
	case s.Zone == nil:
		return fmt.Errorf("schedule without a zone: accepted is an IANA zone")
	case s.Count < 1:
		return fmt.Errorf("schedule with %d slots a night: accepted is 1 or more", s.Count)
	case s.Count > 1 && (s.Every <= 0 || s.Every > nightMax/time.Duration(s.Count-1)):
		return fmt.Errorf("schedule with %d slots %v apart: accepted is above zero, and %v for all of them", s.Count, s.Every,
			nightMax)
	}
	return nil
}

func (s Schedule) sinceMidnight() (time.Duration, error) {
	t, err := time.Parse("15:04", s.At)
	if err != nil || t.Format("15:04") != s.At {
		return 0, fmt.Errorf("schedule at %q: accepted is a local time like 02:00", s.At)
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, nil
}

// slot is the nth slot of a night, in UTC.
func (s Schedule) slot(night Date, nth int) Slot {
	at, err := s.sinceMidnight()
	if err != nil {
		panic("calendar: a schedule that was not checked: " + err.Error())
	}
	return Slot{night, nth, instant(night, at, s.Zone).Add(time.Duration(nth) * s.Every)}
}

// passed is how many slots of a night are not after t.
func (s Schedule) passed(first Slot, t time.Time) int {
	switch {
	case first.At.After(t):
		return 0
	case s.Count == 1:
		return 1
	default:
		return int(min(t.Sub(first.At)/s.Every+1, time.Duration(s.Count)))
	}
}

// AtOrBefore is the last slot that is not after t: the slot a tick at t is for.
func (s Schedule) AtOrBefore(t time.Time) Slot {
	for night := DateIn(t, s.Zone).AddDays(1); ; night = night.AddDays(-1) {
		if passed := s.passed(s.slot(night, 0), t); passed > 0 {
			return s.slot(night, passed-1)
		}
	}
}

// Next is the first slot after t, computed from the schedule and never from t plus something: a timer that wakes a
// moment early gets the slot it was set for.
func (s Schedule) Next(t time.Time) Slot {
	for night := DateIn(t, s.Zone).AddDays(-2); ; night = night.AddDays(1) {
		if passed := s.passed(s.slot(night, 0), t); passed < s.Count {
			return s.slot(night, passed)
		}
	}
}

// Between is the slots in (after, until], oldest first, at most `most` of them: a watermark finds what a look-back
// would miss, and a long absence comes in pieces. Go on from the last one's At.
func (s Schedule) Between(after, until time.Time, most int) []Slot {
	var slots []Slot
	for slot := s.Next(after); len(slots) < most && !slot.At.After(until); slot = s.after(slot) {
		slots = append(slots, slot)
	}
	return slots
}

func (s Schedule) after(slot Slot) Slot {
	if slot.Nth+1 < s.Count {
		return s.slot(slot.Night, slot.Nth+1)
	}
	return s.slot(slot.Night.AddDays(1), 0)
}

// NightOf is the night of the slot at exactly this instant; false where there is none.
func (s Schedule) NightOf(at time.Time) (Date, bool) {
	slot := s.AtOrBefore(at)
	return slot.Night, slot.At.Equal(at)
}
