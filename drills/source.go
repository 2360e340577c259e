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
		return c.sweep(ctx, d, left)
	}
	deadline := c.deadline(left)
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

// deadline is the end of this drill's share of --for, with so many drills left.
func (c *campaign) deadline(left int) time.Time {
	return time.Now().Add((c.o.For - time.Since(c.began)) / time.Duration(left))
}

// sweep makes the plain run of the first seed once and then one run for each single deviation that was possible in it:
// every gate, every fault kind of the drill. Its bound is one deviation of one seed; it says nothing of pairs.
func (c *campaign) sweep(ctx context.Context, d Drill, left int) (func() (order, bool), error) {
	reply := c.crew.submit(ctx, order{Drill: d.Name, Seed: c.o.Seed, Gates: true})
	if reply == nil {
		return func() (order, bool) { return order{}, false }, nil // stopped, or no worker is left: the campaign says so
	}
	plain := <-reply
	if plain.Run.Verdict == reports.Error {
		return nil, fmt.Errorf("sweep of %s: the plain run could not be checked: %s", d.Name, plain.Run.Error)
	}
	if err := c.take(ctx, d, plain); err != nil {
		return nil, err
	}
	points := plain.Points
	limit := len(points)
	if c.o.Runs > 0 {
		limit = min(limit, c.o.Runs)
	}
	c.o.Log("sweep of %s: %d single deviations, %d of them run (--runs or --for bounds it)", d.Name, len(points), limit)
	c.total = c.runs + limit
	n, stride := 0, spread(len(points))
	deadline := c.deadline(left)
	return func() (order, bool) {
		if n >= limit || c.o.For > 0 && time.Now().After(deadline) {
			return order{}, false
		}
		// Points are spread over the run, so that whatever ends the sweep early, its beginning, middle and end were seen.
		o := order{Drill: d.Name, Seed: c.o.Seed, Script: points[n*stride%len(points)], Again: n%againEvery == againEvery-1, Sample: n == 0}
		n++
		return o, true
	}, nil
}

// spread is a stride that visits each of n places once and goes far at every step.
func spread(n int) int {
	stride := max(1, n*618/1000)
	for gcd(stride, n) > 1 {
		stride++
	}
	return stride
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
