package drills

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim/search"
)

// hunt is one drill's share of a campaign: its search, which lives in the campaign, while its runs are made by the crew.
type hunt struct {
	drill  Drill
	rung   search.Rung
	most   int           // runs at most; 0: the search or the time ends it
	asked  int           // trials proposed
	out    int           // of them not taken yet
	ended  bool          // the search has nothing left
	sample bool          // one run was chosen to be drawn
	done   []reports.Run // of the journal of a campaign that goes on, not yet met
	known  int           // how many they were
}

// underway is a trial whose answer is awaited.
type underway struct {
	hunt  *hunt
	trial search.Trial
	known *reports.Run // its line in the journal, where it is made again for what no line has
	reply <-chan answer
}

// next is the trial to be made now. None while outstanding answers may bring more.
func (h *hunt) next() (search.Trial, bool) {
	if h.ended || h.most > 0 && h.asked >= h.most {
		h.ended = true
		return search.Trial{}, false
	}
	t, ok := h.rung.Next()
	switch {
	case ok:
		h.asked++
		h.out++
	case h.out == 0:
		h.ended = true
	}
	return t, ok
}

// rungOf is the name of the rung that proposed a trial, also where it stands in a ladder.
func rungOf(t search.Trial) string { return t.Rung[strings.LastIndexByte(t.Rung, '/')+1:] }

// sampled chooses the one run of a drill whose lanes are worth a look although it passes: the first whose faults are
// drawn, where any are.
func (h *hunt) sampled(t search.Trial, way string) bool {
	if h.sample || t.How == search.Scripted && !Bounded(way) {
		return false
	}
	h.sample = true
	return true
}

func (h *hunt) took(t search.Trial, o search.Outcome) {
	h.out--
	h.rung.Took(t, o)
}

// account is what the search says of itself, rung by rung.
func (h *hunt) account() []reports.Search {
	told := h.rung.Told()
	each := told.Rungs
	if len(each) == 0 {
		each = []search.Told{told}
	}
	var all []reports.Search
	for _, t := range each {
		all = append(all, reports.Search{Drill: h.drill.Name, Rung: t.Rung, Bound: t.Bound, Frontier: t.Frontier, Left: t.Left, New: t.New, Trials: t.Trials,
			Distinct: t.Distinct, Found: t.Found, Done: t.Done})
	}
	return all
}

// turn is how many trials a drill proposes before the next one's turn, where the time ends the campaign: few, so that
// whatever ends it early, every drill was looked at.
const turn = 8

// schedule says whose trial is next: with a number of runs one drill after the other, where the time decides in turns.
type schedule struct {
	hunts    []*hunt
	deadline time.Time // zero: none
	at       int       // whose turn it is
	taken    int       // trials of this turn
}

// next is a trial and its hunt; false where nothing can be proposed now.
func (s *schedule) next() (h *hunt, t search.Trial, ok bool) {
	for range len(s.hunts) + 1 {
		if s.at == len(s.hunts) {
			if s.deadline.IsZero() {
				return nil, t, false
			}
			s.at = 0
		}
		h = s.hunts[s.at]
		late := !s.deadline.IsZero() && h.asked > 0 && time.Now().After(s.deadline)
		if !late {
			if t, ok = h.next(); ok {
				s.passOn(s.deadline.IsZero() || s.taken+1 < turn)
				return h, t, true
			}
			if s.deadline.IsZero() && !h.ended {
				return nil, t, false // its own answers bring more: the next drill's lines come after its last one
			}
		}
		s.passOn(false)
	}
	return nil, t, false
}

func (s *schedule) passOn(stay bool) {
	if stay {
		s.taken++
		return
	}
	s.at, s.taken = s.at+1, 0
}

// search proposes, has made, and takes in the order in which it was proposed.
func (c *campaign) search(ctx context.Context, picked []Drill, done *journaled) error {
	s := &schedule{}
	if c.o.For > 0 {
		s.deadline = c.began.Add(c.o.For - done.spent(c.o.Servers))
	}
	for _, d := range picked {
		rung, err := search.New(c.o.Search, search.Options{Seed: c.o.Seed})
		if err != nil {
			return &UsageError{err}
		}
		runs := done.of(d.Name)
		s.hunts = append(s.hunts, &hunt{drill: d, rung: rung, most: c.o.Runs, done: runs, known: len(runs)})
	}
	c.hunts = s.hunts
	ctx, stop := context.WithCancel(ctx)
	var making sync.WaitGroup
	defer making.Wait() // before the crew is dismissed: they order second runs
	defer stop()
	var pending []underway
	for ctx.Err() == nil {
		for len(pending) < aheadMax*c.o.Servers {
			u, ok, err := c.propose(ctx, s, &making)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			pending = append(pending, u)
		}
		if len(pending) == 0 {
			return nil
		}
		u := pending[0]
		pending = pending[1:]
		var a answer
		select {
		case a = <-u.reply:
		case <-ctx.Done():
		}
		if ctx.Err() != nil || a.nobody {
			return nil // stopped, or no worker is left: the campaign says so
		}
		if err := c.take(ctx, u, a); err != nil {
			return err
		}
	}
	return nil
}

// aheadMax are the trials under way for each server: so many that a long run holds up nobody.
const aheadMax = 6

// propose has the next trial made, or finds it in the journal.
func (c *campaign) propose(ctx context.Context, s *schedule, making *sync.WaitGroup) (underway, bool, error) {
	h, t, ok := s.next()
	if !ok {
		return underway{}, false, nil
	}
	u := underway{hunt: h, trial: t}
	sample := h.sampled(t, c.o.Search)
	if len(h.done) > 0 {
		run := h.done[0]
		h.done = h.done[1:]
		if c.o.Search != string(search.Random) && (run.Rung != rungOf(t) || run.Trial != t.ID+1) || run.Seed != t.Seed {
			return u, false, fmt.Errorf("--resume: the journal has %s where this program looks at %s %d, seed %d: it is another search", run.Title(), rungOf(t), t.ID+1, t.Seed)
		}
		u.known = &run
		if t.Need == (search.Need{}) { // else what its line has not is looked at once more
			reply := make(chan answer, 1)
			reply <- answer{Run: run}
			u.reply = reply
			return u, true, nil
		}
	}
	o, err := orderFor(h.drill, t)
	if err != nil {
		return u, false, err
	}
	n := h.asked - 1
	o.Keep, o.Spoil = n%againEvery == againEvery-1 && u.known == nil, n%spoilEvery == 0
	o.Sample = sample
	u.reply = c.make(ctx, o, making)
	return u, true, nil
}

// make has a run made, and made again where it is to be.
func (c *campaign) make(ctx context.Context, o order, making *sync.WaitGroup) <-chan answer {
	once := c.crew.submit(ctx, o)
	if once == nil {
		return nil // ctx has ended
	}
	reply := make(chan answer, 1)
	making.Go(func() {
		a := <-once
		if a.First != nil {
			a.Run = c.secondRun(ctx, a)
		}
		reply <- a
	})
	return reply
}

// secondRun has a run made again elsewhere and answers what both came to.
func (c *campaign) secondRun(ctx context.Context, a answer) reports.Run {
	run := a.Run
	reply := c.crew.elsewhere(ctx, a.member, order{Drill: run.Drill, Seed: run.Seed, Script: a.Script, First: a.First})
	if reply == nil {
		return run // nobody takes it any more
	}
	second := <-reply
	switch {
	case second.nobody:
	case second.Run.Verdict == reports.Error:
		run.Verdict, run.Error = reports.Error, second.Run.Error
	case second.Run.Verdict == reports.Nondeterministic:
		run.Verdict, run.Error, run.Story = reports.Nondeterministic, second.Run.Error, second.Run.Story
	}
	return run
}
