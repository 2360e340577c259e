package calendar

import (
	"fmt"
	"time"

	"github.com/recondrill/recondrill/engine"
)

// Unit is the length of a window.
type Unit string

// The units.
const (
	Daily   Unit = "day"
	Weekly  Unit = "week"
	Monthly Unit = "month"
	Yearly  Unit = "year"
)

// Plan is how an account's time is cut into windows: from the anchor's local midnight on, without gap or overlap.
type Plan struct {
	Zone   *time.Location
	Unit   Unit
	Anchor Date          // the first window's first day; stored, never overwritten by a clamped day
	Lag    time.Duration // of the provider: a window is due this long after its end
}

// Check says what is wrong with a plan.
func (p Plan) Check() error {
	switch p.Unit {
	case Daily, Weekly, Monthly, Yearly:
	default:
		return fmt.Errorf("windows of %q: accepted are day, week, month, year", p.Unit)
	}
	switch {
	case p.Zone == nil:
		return fmt.Errorf("windows without a zone: accepted is the account's IANA zone")
	case p.Anchor == Date{}:
		return fmt.Errorf("windows without an anchor: accepted is the first window's first day")
	case p.Lag < 0:
		return fmt.Errorf("windows with a lag of %v: accepted is zero or more", p.Lag)
	}
	return nil
}

// Window is the nth window, n from 0.
func (p Plan) Window(n int) engine.Window {
	first := p.first(n)
	start, end := first.In(p.Zone), p.first(n+1).In(p.Zone)
	return engine.Window{ID: first.String(), Start: start, End: end, DueAt: end.Add(p.Lag)}
}

// First is the window of the anchor.
func (p Plan) First() engine.Window { return p.Window(0) }

// Next is the window after the one with this id. An id that is no window of the plan is an error: going on from it
// would leave a hole or bill a day twice.
func (p Plan) Next(id string) (engine.Window, error) {
	date, err := ParseDate(id)
	if err != nil {
		return engine.Window{}, fmt.Errorf("window %q: %w", id, err)
	}
	n := p.near(date)
	if n < 0 || p.first(n) != date {
		return engine.Window{}, fmt.Errorf("window %q: not of the plan that starts on %s, one a %s", id, p.Anchor, p.Unit)
	}
	return p.Window(n + 1), nil
}

// At is the window an instant is in; false before the anchor.
func (p Plan) At(t time.Time) (engine.Window, bool) {
	n := p.near(DateIn(t, p.Zone))
	if n < 0 {
		return engine.Window{}, false
	}
	w := p.Window(n)
	return w, !t.Before(w.Start) // a day whose midnight was skipped begins later than its date
}

// first is the first day of the nth window, from the anchor in one step.
func (p Plan) first(n int) Date {
	switch p.Unit {
	case Weekly:
		return p.Anchor.AddDays(7 * n)
	case Monthly:
		return p.Anchor.AddMonths(n)
	case Yearly:
		return p.Anchor.AddMonths(12 * n)
	default:
		return p.Anchor.AddDays(n)
	}
}

// near is the number of the window whose dates contain d; below zero before the anchor.
func (p Plan) near(d Date) int {
	var n int
	switch p.Unit {
	case Weekly:
		n = floorDiv(d.daysSince(p.Anchor), 7)
	case Monthly:
		n = 12*(d.Year-p.Anchor.Year) + int(d.Month-p.Anchor.Month)
	case Yearly:
		n = d.Year - p.Anchor.Year
	default:
		n = d.daysSince(p.Anchor)
	}
	if d.daysSince(p.first(n)) < 0 { // in the month, but before its window begins
		n--
	}
	return n
}

func floorDiv(a, b int) int {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}
