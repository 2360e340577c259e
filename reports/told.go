package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// tried says in plain words what a campaign did, for someone who never saw one.
func tried(c *campaign) string {
	s := c.Summary
	kinds, strikes := 0, 0
	for _, n := range s.FaultsBitten {
		if n > 0 {
			kinds++
			strikes += n
		}
	}
	text := fmt.Sprintf("The production engine, with its own code and its own SQL on a real PostgreSQL server%s, went through %s in %s. ",
		server(s.Postgres), Count(len(c.Tally.Drills()), "drill"), Count(s.Runs, "run"))
	switch {
	case s.Runs == 0:
		text = "Nothing ran. "
	case kinds == 0:
		text += "No fault struck it. "
	default:
		text += fmt.Sprintf("%s of faults struck it, %s in all. ", Count(kinds, "kind"), Count(strikes, "time"))
	}
	if simulated := c.simulated(); simulated > 0 {
		text += fmt.Sprintf("%s of simulated time passed", span(simulated))
		if s.WallMS > 0 {
			text += " in " + span(time.Duration(s.WallMS)*time.Millisecond)
		}
		text += ". "
	}
	if s.Interrupted {
		text += "It was stopped before its end; what had been done counts. "
	}
	return strings.TrimSpace(text)
}

func server(p Postgres) string {
	if p.Version == "" {
		return ""
	}
	return fmt.Sprintf(" (%s, %s)", p.Version, p.How)
}

// canaryWords says whether the planted bugs were found: the reason to believe the rest.
func canaryWords(s Summary) []string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(s.Canaries)) {
		if s.Canaries[name] {
			words = append(words, fmt.Sprintf("The bug planted in %q was found, as it must be.", name))
		} else {
			words = append(words, fmt.Sprintf("The bug planted in %q was not found: nothing here can be trusted.", name))
		}
	}
	return words
}
