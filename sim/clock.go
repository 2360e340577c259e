package sim

import (
	"sync/atomic"
	"time"
)

// timer is something that is due at an instant. Its owner embeds it, so that setting one costs nothing.
type timer struct {
	at    time.Duration
	seq   uint64   // order of creation decides between timers of one instant
	index int      // place in the heap plus 1; 0: not in it
	life  *Process // whose timers wait while it is stalled and vanish with it; nil: the world's
	late  bool     // it came due while its process was stalled
	own   bool     // it is measured by the monotonic clock of its life
	ends  bool     // a deadline: it ends a context
	due   func()   // called by the kernel, which has the floor
}

// clock is virtual time and what waits for it. Only who has the floor touches it; now may be read by anybody.
type clock struct {
	now  atomic.Int64 // since the epoch, a multiple of a microsecond
	seq  uint64
	heap []*timer
}

func (c *clock) since() time.Duration { return time.Duration(c.now.Load()) }

// micros rounds up to what is stored, hashed and compared, so that no wait becomes none.
func micros(d time.Duration) time.Duration {
	return (d + time.Microsecond - 1) / time.Microsecond * time.Microsecond
}

// set makes t due at an instant, which becomes its time of creation.
func (c *clock) set(t *timer, at time.Duration) {
	c.drop(t)
	c.seq++
	t.at, t.seq = at, c.seq
	c.heap = append(c.heap, t)
	t.index = len(c.heap)
	c.up(t.index - 1)
}

// drop forgets t, wherever it waits.
func (c *clock) drop(t *timer) {
	t.late = false
	if t.index == 0 {
		return
	}
	i, end := t.index-1, len(c.heap)-1
	c.swap(i, end)
	c.heap[end] = nil
	c.heap = c.heap[:end]
	t.index = 0
	if i < end {
		c.up(c.down(i))
	}
}

// next is the earliest timer of the living, or nil.
func (c *clock) next() *timer {
	for len(c.heap) > 0 {
		t := c.heap[0]
		if t.life == nil || !t.life.dead {
			return t
		}
		c.drop(t)
	}
	return nil
}

// fire fires what is due at an instant, which is now, in order of creation. Deadlines that are held stay due.
func (c *clock) fire(at time.Duration, holdDeadlines bool) {
	var held []*timer
	for t := c.next(); t != nil && t.at <= at; t = c.next() {
		c.drop(t)
		if holdDeadlines && t.ends {
			held = append(held, t)
			continue
		}
		if p := t.life; p != nil && p.stalled && t != &p.wake {
			t.late = true
			p.late = append(p.late, t)
			continue
		}
		t.due()
	}
	for _, t := range held {
		c.set(t, at)
	}
}

// mixed says that deadlines and other timers are due up to an instant.
func (c *clock) mixed(at time.Duration) bool {
	deadlines, others := false, false
	for _, t := range c.heap {
		if t.at > at || t.life != nil && (t.life.dead || t.life.stalled && t != &t.life.wake) {
			continue
		}
		deadlines, others = deadlines || t.ends, others || !t.ends
	}
	return deadlines && others
}

// each calls f with every timer that life's own monotonic clock measures and puts all in order again.
func (c *clock) each(life *Process, f func(*timer)) {
	for _, t := range c.heap {
		if t.own && t.life == life {
			f(t)
		}
	}
	for i := len(c.heap)/2 - 1; i >= 0; i-- {
		c.down(i)
	}
}

func (c *clock) less(i, j int) bool {
	a, b := c.heap[i], c.heap[j]
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

func (c *clock) swap(i, j int) {
	c.heap[i], c.heap[j] = c.heap[j], c.heap[i]
	c.heap[i].index, c.heap[j].index = i+1, j+1
}

func (c *clock) up(i int) {
	for i > 0 && c.less(i, (i-1)/2) {
		c.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (c *clock) down(i int) int {
	for {
		child := 2*i + 1
		if child >= len(c.heap) {
			return i
		}
		if child+1 < len(c.heap) && c.less(child+1, child) {
			child++
		}
		if !c.less(child, i) {
			return i
		}
		c.swap(i, child)
		i = child
	}
}
