package drills

import (
	"context"
	"fmt"
	"time"

	"github.com/recondrill/recondrill/reports"
)

// source gives the orders of one drill: seeds in order, or a sweep's points.
func (c *campaign) source(ctx context.Context, d Drill, left int) (func() (order, bool), error) {
	if c.o.Search == "sweep" {
		return c.sweep(ctx, d)
	}
	deadline := time.Now().Add((c.o.For - time.Since(c.began)) / time.Duration(left))
	n := uint64(0)
	return func() (order, bool) {
		more := n < uint64(c.o.Runs)
		if c.o.For > 0 {
			more = n == 0 || time.Now().Before(deadline)
		}
		o := order{Drill: d.Name, Seed: c.o.Seed + n, Again: n%againEvery == againEvery-1, Sample: n == 0}
		n++
		return o, more
	}, nil
}

// sweep runs the plain run of each seed once and then one run for each single deviation that was possible in it:
// every gate, every fault kind of the drill. Its bound is one deviation; it says nothing of pairs.
func (c *campaign) sweep(ctx context.Context, d Drill) (func() (order, bool), error) {
	reply := c.crew.submit(ctx, order{Drill: d.Name, Seed: c.o.Seed, Gates: true})
	if reply == nil {
		return nil, ctx.Err()
	}
	plain := <-reply
	if plain.Run.Verdict == reports.Error {
		return nil, fmt.Errorf("sweep of %s: the plain run could not be checked: %s", d.Name, plain.Run.Error)
	}
	points := plain.Points
	limit := len(points)
	if c.o.For == 0 {
		limit = min(limit, c.o.Runs)
	}
	c.o.Log("sweep of %s: %d single deviations, %d of them run (--runs or --for bounds it)", d.Name, len(points), limit)
	n := 0
	deadline := c.began.Add(c.o.For)
	return func() (order, bool) {
		if n >= limit || c.o.For > 0 && time.Now().After(deadline) {
			return order{}, false
		}
		// Points are spread over the run, so that a small bound still sees its beginning, middle and end.
		o := order{Drill: d.Name, Seed: c.o.Seed, Script: points[n*len(points)/limit], Again: n%againEvery == againEvery-1, Sample: n == 0}
		n++
		return o, true
	}, nil
}
