package admission

import (
	"errors"
	"fmt"
	"time"

	"github.com/recondrill/recondrill/engine/calendar"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Config are the settings of admission. Schedule and Token are required; zero values elsewhere mean the production
// defaults.
type Config struct {
	Token      string // the schedule's name
	Schedule   calendar.Schedule
	Bound      int           // windows a slot releases at most; 500
	LateAfter  time.Duration // a slot admitted later than this is marked late; 1 min
	EarlyMax   time.Duration // a tick may come so long before its slot and wait for it; 5 min
	CatchUpMax int           // missed slots that are admitted one by one; older ones are dropped, their windows are not; 48
	Retry      time.Duration // between two looks after an error or under a pause; 10 s
}

// Checked is the configuration with its defaults, or what is wrong with it.
func (c Config) Checked() (Config, error) {
	if c.Token == "" {
		return c, errors.New("admission: Token is empty; accepted is the schedule's name, like nightly")
	}
	if err := c.Schedule.Check(); err != nil {
		return c, fmt.Errorf("admission: %w", err)
	}
	if c.Bound == 0 {
		c.Bound = 500
	}
	if c.CatchUpMax == 0 {
		c.CatchUpMax = 48
	}
	for _, d := range []struct {
		value *time.Duration
		usual time.Duration
	}{{&c.LateAfter, time.Minute}, {&c.EarlyMax, 5 * time.Minute}, {&c.Retry, 10 * time.Second}} {
		if *d.value == 0 {
			*d.value = d.usual
		}
		if *d.value < 0 {
			return c, fmt.Errorf("admission: a setting is %v; accepted is a positive duration", *d.value)
		}
	}
	if c.Bound < 1 || c.CatchUpMax < 1 {
		return c, fmt.Errorf("admission: Bound %d, CatchUpMax %d; accepted is 1 or more", c.Bound, c.CatchUpMax)
	}
	return c, nil
}

// next is the following window of each that was released: a day of the account's zone. An account whose zone or
// window does not read gets none, and is named.
func next(picked []postgres.Picked) (windows []postgres.Window, alarms []postgres.Alarm) {
	for _, p := range picked {
		w, err := after(p)
		if err != nil {
			alarms = append(alarms, postgres.Alarm{Kind: "window_not_written", Subject: string(p.Account),
				Detail: fmt.Sprintf("after window %s: %v", p.Window, err)})
			continue
		}
		windows = append(windows, w)
	}
	return windows, alarms
}

func after(p postgres.Picked) (postgres.Window, error) {
	zone, err := calendar.Zone(p.Zone)
	if err != nil {
		return postgres.Window{}, err
	}
	anchor, err := calendar.ParseDate(p.Window)
	if err != nil {
		return postgres.Window{}, err
	}
	plan := calendar.Plan{Zone: zone, Unit: calendar.Daily, Anchor: anchor, Lag: p.ProviderLag}
	if err := plan.Check(); err != nil {
		return postgres.Window{}, err
	}
	w, err := plan.Next(p.Window)
	return postgres.Window{Account: p.Account, Window: w}, err
}
