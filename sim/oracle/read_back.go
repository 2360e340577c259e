package oracle

import (
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// ReadBacks name the statements that ask what became of a COMMIT. A test checks that each exists.
func ReadBacks() []string { return []string{"LockJob", "ReadBackIntent", "ReadBackCorrection"} }

// readBack: a COMMIT that is still on its way holds the row of its claim, so whoever asks under the lock waits for it.
// An answer of the same task before the COMMIT can have landed was no answer under the lock, whatever it said. When the
// faults are over, what is under way lands at once.
func readBack(h *sim.History, s *seen) {
	lands := map[sim.Actor]time.Duration{}
	for _, e := range h.Entries {
		label := strings.TrimPrefix(e.Label, "sql:")
		switch {
		case e.What == "healed":
			clear(lands)
		case e.What == "start":
			delete(lands, e.Actor)
		case e.Deviation != nil && label == "commit" && e.Deviation.Value.Verb == "commit":
			late, _ := strings.CutPrefix(e.Deviation.Value.Arg, "late ")
			if d, err := time.ParseDuration(late); err == nil {
				lands[e.Actor] = e.At + d
			}
		case e.What == "answer" && slices.Contains(ReadBacks(), label):
			until, lost := lands[e.Actor]
			if !lost {
				continue
			}
			s.look()
			if e.At < until {
				s.broke("call:"+e.Actor.String(), "%s asked by %s what became of its COMMIT and had an answer %s before it landed", e.Actor, label, until-e.At)
			}
			delete(lands, e.Actor)
		}
	}
}
