package oracle

import (
	"slices"
	"strings"
)

// lastLine: nothing that the engine says to the server is refused because of what it says. A constraint or a trigger is the
// last line, not the way to find out: what comes twice is answered as such, what is wrong is found before it is written. Lost
// races, stops and a server that is away are no refusals of that kind.
func lastLine() Oracle {
	return claim{name: "last-line", spoil: saidTwice, check: func(v View, s *seen) {
		if v.History == nil {
			return
		}
		for _, e := range v.History.Entries {
			if !strings.HasPrefix(e.Label, "sql:") || !oneOf(e.What, "answer", "landed") {
				continue
			}
			s.look()
			_, after, failed := strings.Cut(e.Text, "ERROR ")
			if code, _, _ := strings.Cut(after, " "); failed && len(code) >= 2 && oneOf(code[:2], refusals...) {
				s.broke("statement:"+e.Label, "%s was refused at %s: %s", e.Actor, stamp(v.Limits.Epoch.Add(e.At)), e.Text)
			}
		}
	}}
}

// refusals are the classes of SQLSTATE for which the statement or its values are to blame: more rows than one, values,
// constraints, no such thing or grant, limits, what functions raise.
var refusals = []string{"21", "22", "23", "42", "54", "P0"}

// saidTwice lets the last statement have been refused for its key.
func saidTwice(v *View) bool {
	if v.History == nil {
		return false
	}
	for i := len(v.History.Entries) - 1; i >= 0; i-- {
		if e := v.History.Entries[i]; strings.HasPrefix(e.Label, "sql:") && oneOf(e.What, "answer", "landed") {
			entries := slices.Clone(v.History.Entries)
			entries[i].Text = "ERROR 23505"
			v.retell(entries)
			return true
		}
	}
	return false
}
