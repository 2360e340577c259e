package faults

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// story makes a history by hand. A line is "seconds | actor | what | label/nth | text | keys", later fields may be
// missing; "deviation" lines carry class and value as their text.
func story(t *testing.T, text string) *sim.History {
	t.Helper()
	h := &sim.History{}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		f := append(strings.Split(line, "|"), "", "", "", "", "")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		at, err := time.ParseDuration(f[0] + "s")
		require.NoError(t, err, line)
		actor, err := sim.ParseActor(f[1])
		require.NoError(t, err, line)
		e := sim.Entry{At: at, Actor: actor, What: f[2], Text: f[4]}
		if f[3] != "" {
			a, err := sim.ParseAddress(f[1] + " " + f[3])
			require.NoError(t, err, line)
			e.Label, e.Nth = a.Label, a.Nth
		}
		if f[5] != "" {
			e.Keys = strings.Split(f[5], ",")
			e.Rows = len(e.Keys)
		}
		if e.What == "deviation" {
			class, value, _ := strings.Cut(f[4], " ")
			c, err := sim.ParseClass(class)
			require.NoError(t, err, line)
			v, err := sim.ParseValue(value)
			require.NoError(t, err, line)
			d := sim.Deviation{At: sim.Address{Actor: actor, Label: e.Label, Nth: e.Nth}, Class: c, Value: v}
			e.Deviation, e.Text = &d, ""
			h.Used = append(h.Used, d)
		}
		h.Entries = append(h.Entries, e)
	}
	return h
}

// bites checks one kind against histories in which it bites and in which it does not.
func bites(t *testing.T, kind string, yes, no []string) {
	t.Helper()
	for _, text := range yes {
		require.Contains(t, Bitten(story(t, text)), kind, text)
	}
	for _, text := range no {
		require.NotContains(t, Bitten(story(t, text)), kind, text)
	}
}
