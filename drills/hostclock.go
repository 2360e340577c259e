package drills

import (
	"context"
	"time"

	"github.com/recondrill/recondrill/faults"
)

// hostClocks lets the clocks of the nodes' hosts go wrong, as it is decided.
func (f *fleet) hostClocks() {
	offers := append(faults.WallSteps(90*time.Second, 2*time.Hour), faults.Drifts(100_000, -40_000, -400_000)...)
	f.instants("clocks", func(context.Context) error {
		for _, n := range f.drill.Nodes {
			p := f.lives[n.Name]
			if p == nil {
				continue // not up yet
			}
			switch v := f.kernel.Tick(n.Name, "clock", offers); v.Verb {
			case "wall":
				p.StepWall(v.Duration())
			case "drift":
				p.SetDrift(faults.DriftOf(v))
			}
		}
		return nil
	})
}
