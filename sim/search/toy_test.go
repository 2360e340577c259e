package search

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// toy is a program in memory: processes whose gates touch named cells, so that its footprints are true by construction.
type toy struct {
	cells   map[string]int
	heard   []string // what each step answered, by who took it
	setup   func(k *sim.Kernel, y *toy)
	failing func(y *toy) bool
	blind   bool                                     // footprints name nothing
	weigh   func(sim.Gate, sim.Class) []sim.Weighted // nil: toyWeights
}

// read stops at a gate and answers a cell.
func (y *toy) read(ctx context.Context, p *sim.Process, cell string) (int, error) {
	g := sim.Gate{Address: sim.Address{Label: "sql:Read" + cell}, Kind: sim.Statement, Foot: sim.Footprint{Reads: []string{cell}}}
	if y.blind {
		g.Foot = sim.Footprint{}
	}
	if _, err := p.Kernel().Pass(ctx, g); err != nil {
		return 0, err
	}
	y.hear(ctx, p, fmt.Sprintf("%s=%d", cell, y.cells[cell]))
	return y.cells[cell], nil
}

// write stops at a gate and sets a cell. It can die after.
func (y *toy) write(ctx context.Context, p *sim.Process, cell string, to int) error {
	g := sim.Gate{Address: sim.Address{Label: "sql:Write" + cell}, Kind: sim.Statement, Foot: sim.Footprint{Writes: []string{cell}},
		Offers: []sim.Offer{{Class: sim.Fault, Value: sim.Value{Verb: "kill", Arg: "after"}}}}
	if y.blind {
		g.Foot = sim.Footprint{}
	}
	fault, err := p.Kernel().Pass(ctx, g)
	if err != nil {
		return err
	}
	y.cells[cell] = to
	y.hear(ctx, p, fmt.Sprintf("%s:=%d", cell, to))
	if fault.Verb == "kill" {
		return p.Kernel().Die(ctx, "after sql:Write"+cell)
	}
	return nil
}

func (y *toy) hear(ctx context.Context, p *sim.Process, what string) {
	y.heard = append(y.heard, sim.TaskOf(ctx).Actor().String()+" "+what)
	p.Kernel().Note(ctx, sim.Entry{What: "result", Outcome: what, Text: what})
}

// final is what a run came to, whatever the order of what is independent: the cells, and what each task heard.
func (y *toy) final() string {
	heard := slices.Clone(y.heard)
	sort.SliceStable(heard, func(i, j int) bool {
		a, _, _ := strings.Cut(heard[i], " ")
		b, _, _ := strings.Cut(heard[j], " ")
		return a < b
	})
	return fmt.Sprint(y.cells, heard)
}

var epoch = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// play makes the run of a trial.
func (y *toy) play(tb testing.TB, t Trial) (Outcome, *sim.Kernel) {
	y.cells, y.heard = map[string]int{}, nil
	if y.weigh == nil {
		y.weigh = toyWeights
	}
	d := t.Decider(Weights{Most: 2, Weigh: y.weigh})
	k := sim.New(sim.Config{Epoch: epoch, Seed: 1, Decider: d, Moves: d.Moves(), Latencies: []time.Duration{3 * time.Second, 20 * time.Second}})
	defer k.Close()
	y.setup(k, y)
	err := k.Run(context.Background(), time.Hour)
	require.NoError(tb, err)
	o := Outcome{Checked: true, Fingerprint: k.Fingerprint(), Failed: y.failing != nil && y.failing(y)}
	if o.Failed {
		o.Oracle = "toy"
	}
	d.Fill(&o, k.History())
	return o, k
}

func toyWeights(g sim.Gate, c sim.Class) []sim.Weighted {
	switch c {
	case sim.Then:
		return sim.Split(g, c, 2000)
	case sim.Fault, sim.Latency:
		return sim.Split(g, c, 300)
	}
	return nil
}

// counters are processes that each add one to a cell n times, reading and writing apart. It fails when one is lost.
func counters(processes, n int) *toy {
	y := &toy{failing: func(y *toy) bool { return y.cells["x"] != processes*n }}
	y.setup = func(k *sim.Kernel, y *toy) {
		for i := range processes {
			k.Process(fmt.Sprintf("p%d", i+1), -1, func(ctx context.Context, p *sim.Process) error {
				for range n {
					have, err := y.read(ctx, p, "x")
					if err != nil {
						return err
					}
					if err := y.write(ctx, p, "x", have+1); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	return y
}

// steps are processes that each do a list of steps: "rx" reads x, "wx" writes 10·process+step to x, "~" sleeps a second.
func steps(lists ...string) *toy {
	return &toy{setup: func(k *sim.Kernel, y *toy) {
		for i, list := range lists {
			k.Process(fmt.Sprintf("p%d", i+1), -1, func(ctx context.Context, p *sim.Process) error {
				for n, s := range strings.Fields(list) {
					var err error
					switch s[0] {
					case 'r':
						_, err = y.read(ctx, p, s[1:])
					case 'w':
						err = y.write(ctx, p, s[1:], 10*(i+1)+n+1)
					case '~':
						err = p.Sleep(ctx, time.Second)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
	}}
}

// drain makes trials as so many workers would: as many as can be had are under way, and they are taken in order.
func drain(tb testing.TB, r Rung, y *toy, workers, most int) (trials []Trial, outcomes []Outcome, finals map[string]int) {
	finals = map[string]int{}
	type made struct {
		Trial
		Outcome
	}
	var under []made
	for len(trials) < most {
		t, ok := r.Next()
		if !ok && len(under) == 0 {
			return trials, outcomes, finals
		}
		if ok {
			o, _ := y.play(tb, t)
			finals[y.final()]++
			under = append(under, made{t, o})
			trials, outcomes = append(trials, t), append(outcomes, o)
		}
		if !ok || len(under) == workers {
			r.Took(under[0].Trial, under[0].Outcome)
			under = under[1:]
		}
	}
	return trials, outcomes, finals
}

// ordersOnly draws nothing but who moves.
func ordersOnly(g sim.Gate, c sim.Class) []sim.Weighted {
	if c == sim.Then {
		return sim.Split(g, c, 2000)
	}
	return nil
}
