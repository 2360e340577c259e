package calendar

import (
	"fmt"
	"time"
)

// Date is a day on a wall calendar, without a zone.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

const dateLayout = "2006-01-02"

// ParseDate reads 2026-03-01.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(dateLayout, text)
	if err != nil {
		return Date{}, fmt.Errorf("date %q: accepted is a day that exists, like 2026-03-01", text)
	}
	return dateOf(t), nil
}

// DateIn is the local date of an instant.
func DateIn(t time.Time, zone *time.Location) Date { return dateOf(t.In(zone)) }

func dateOf(t time.Time) Date {
	year, month, day := t.Date()
	return Date{year, month, day}
}

// String prints 2026-03-01.
func (d Date) String() string { return d.utc().Format(dateLayout) }

// In is the first instant of the day in a zone, in UTC.
func (d Date) In(zone *time.Location) time.Time { return instant(d, 0, zone) }

// AddDays goes n days on.
func (d Date) AddDays(n int) Date { return dateOf(d.utc().AddDate(0, 0, n)) }

// AddMonths goes n months on; a day the month does not have becomes its last.
func (d Date) AddMonths(n int) Date {
	first := time.Date(d.Year, d.Month+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return Date{first.Year(), first.Month(), min(d.Day, last)}
}

func (d Date) utc() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// daysSince counts days from another date.
func (d Date) daysSince(other Date) int { return int(d.utc().Sub(other.utc()) / (24 * time.Hour)) }
