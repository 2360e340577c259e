package reports

import (
	"fmt"
	"strings"
	"time"
)

// tried says in plain words what a campaign did, for someone who never saw one.
func tried(c *campaign) string {
	s := c.Summary
	if s.Runs == 0 {
		return "Nothing ran."
	}
	drills, runs := c.counted()
	text := fmt.Sprintf("The production engine, with its own code and its own SQL on a real PostgreSQL server%s, went through %s in %s, and ",
		server(s.Postgres), Count(drills, "drill"), Count(runs, "run"))
	if kinds := len(c.htmlFaults()); kinds == 0 {
		text += "no fault bit it. "
	} else {
		text += Count(kinds, "kind") + " of faults bit it. "
	}
	if simulated := c.simulated(); simulated > 0 {
		text += fmt.Sprintf("%s of simulated time passed in all", span(simulated))
		if s.WallMS > 0 {
			text += ", in " + span(time.Duration(s.WallMS)*time.Millisecond)
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

// Words says in one sentence what the campaign's verdict means. A canary that was named makes it a violation by being
// found, which is not a promise that broke.
func (t *Tally) Words(v Verdict) string {
	var named []string
	for _, d := range t.drills {
		if verdict, _ := d.Verdict(); verdict == Violation {
			if !d.Canary {
				return v.Words()
			}
			named = append(named, d.Name)
		}
	}
	if v != Violation || len(named) == 0 {
		return v.Words()
	}
	return fmt.Sprintf("The planted bug was found, as it must be; the exit code is %d because %s was named.", v.Exit(), joined(named))
}

// Canaries says of each planted bug that was found in how many runs: the reason to believe the rest. One that was not
// found is a reason of the campaign's verdict.
func (t *Tally) Canaries() []string {
	var words []string
	drills := 0
	for _, d := range t.drills {
		if d.Counts {
			drills++
		}
	}
	for _, d := range t.drills {
		if !d.Canary || !d.Found() {
			continue
		}
		name := "The drill " + d.Name
		if !d.Counts {
			drills++
			name = fmt.Sprintf("%s drill, %s,", another(drills), d.Name)
		}
		words = append(words, fmt.Sprintf("%s carries a planted bug: found in %d of %s, as it must be.", name, d.Verdicts[Violation], Count(d.Runs, "run")))
	}
	return words
}

// another is "A sixth" for 6.
func another(n int) string {
	ordinals := []string{"second", "third", "fourth", "fifth", "sixth", "seventh"}
	if n < 2 || n-2 >= len(ordinals) {
		return "Another"
	}
	return "A " + ordinals[n-2]
}
