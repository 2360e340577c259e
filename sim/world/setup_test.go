package world

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSetup_WhatCannotBeMadeIsRefusedByName(t *testing.T) {
	for want, s := range map[string]Setup{
		"Accounts is -1":                  {Accounts: -1},
		`Plant "theft"`:                   {Plant: []string{"theft"}},
		"Currencies":                      {Currencies: []string{"usd"}},
		`Provider Stores is "x"`:          {Provider: Terms{Stores: "x"}},
		"must together be below Settling": {Provider: Terms{CallTimeout: time.Hour}},
		`channel name "provider"`:         {Channels: []ChannelSetup{{Name: "provider"}}},
		`cron "c"`:                        {Crons: []CronSetup{{Name: "c"}, {Name: "c"}}},
	} {
		_, err := New(nil, 1, s)
		require.ErrorContains(t, err, want)
	}
}

func TestSetup_LateEffectsComeAfterTheLongestCallAndBeforeSettling(t *testing.T) {
	s := newService(nil, "x", Terms{}.withDefaults())
	late := 0
	for _, o := range s.acting {
		if len(o.String()) > len(effectLater) && o.String()[:len(effectLater)] == effectLater {
			d := o.Duration()
			require.Greater(t, d, s.terms.CallTimeout)
			require.Less(t, d, s.terms.Settling)
			late++
		}
	}
	require.Equal(t, 2, late)
}

func TestMoney_WritesWhatItReads(t *testing.T) {
	for _, c := range []struct {
		currency, text string
		minor          int64
	}{{"USD", "21.00", 2100}, {"USD", "-0.05", -5}, {"JPY", "2100", 2100}, {"KWD", "1.234", 1234}, {"EUR", "0.00", 0}} {
		require.Equal(t, c.text, major(c.minor, c.currency))
		got, err := minor(c.text, c.currency)
		require.NoError(t, err)
		require.Equal(t, c.minor, got)
	}
	for _, bad := range []string{"", "-", "1,000.00", "1.", "1.234", "+1", "--1", "1e3", "99999999999999999999", ".5"} {
		_, err := minor(bad, "USD")
		require.Error(t, err, bad)
	}
}

func TestDay_ALocalDayIsAsLongAsItsClocksSay(t *testing.T) {
	for date, hours := range map[string]float64{"2026-03-29": 23, "2026-10-25": 25, "2026-03-01": 24} {
		w, err := day("Europe/Berlin", date, time.Hour)
		require.NoError(t, err)
		require.InDelta(t, hours, w.End.Sub(w.Start).Hours(), 0, date)
		for _, at := range []time.Time{w.Start, w.End.Add(-time.Second)} {
			found, err := dayAt("Europe/Berlin", time.Hour, at, 0)
			require.NoError(t, err)
			require.Equal(t, w, found)
		}
	}
}
