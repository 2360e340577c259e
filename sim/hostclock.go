package sim

import (
	"fmt"
	"time"
)

// A run has one true time, the world's. What a process and the database read are clocks of their own beside it: a host
// has a wall clock (skewed, stepped) and a monotonic one (drifting, standing still while the process is suspended), and
// the database has its wall clock.

// Now is the world's time, cut to microseconds.
func (k *Kernel) Now() time.Time { return k.config.Epoch.Add(k.clock.since()) }

// Since is virtual time since the epoch.
func (k *Kernel) Since() time.Duration { return k.clock.since() }

// ServerNow is the database's clock: the world's time and its steps.
func (k *Kernel) ServerNow() time.Time { return k.Now().Add(k.serverSkew) }

// StepServer sets the database's clock ahead (or back, below zero), as an operator or a failover does.
func (k *Kernel) StepServer(d time.Duration) {
	k.serverSkew += d.Truncate(time.Microsecond)
	k.history.add(Entry{Actor: Bare("server"), What: "stepped", Text: signed(d)})
	k.Touch(Footprint{Writes: []string{"time"}})
}

// SetSkew makes the wall clock of this process's host run ahead (or behind, below zero), also in later lives.
func (p *Process) SetSkew(d time.Duration) { p.host.skew = d }

// StepWall sets the wall clock of this process's host ahead (or back, below zero), also for later lives. Mono and
// timers don't notice.
func (p *Process) StepWall(d time.Duration) {
	p.host.skew += d.Truncate(time.Microsecond)
	p.k.history.add(Entry{Actor: p.Actor(), What: "stepped", Text: signed(d)})
}

// Now is the wall clock of the host: the world's time, the skew and the steps.
func (p *Process) Now() time.Time { return p.k.Now().Add(p.host.skew).Truncate(time.Microsecond) }

// Mono is time since this life began, by the host's monotonic clock. It runs on while the process is stalled and stands
// still while it is suspended.
func (p *Process) Mono() time.Duration {
	return p.mono + p.host.ticks(max(0, p.k.Since()-p.mark))
}

// SetDrift makes the monotonic clock of this process's host gain ppm microseconds a second (lose, below zero), also in
// later lives, and with it Mono, sleeps and deadlines, those under way as well. The wall clock is not touched.
func (p *Process) SetDrift(ppm int) {
	if ppm < -second/2 || ppm > second {
		panic(fmt.Sprintf("sim: drift of %d ppm: want %d to %d, half as fast to twice as fast", ppm, -second/2, second))
	}
	k, h := p.k, p.host
	from := max(k.Since(), p.mark)
	p.mono, p.mark = p.Mono(), from
	before := h.drift
	k.clock.each(p, func(t *timer) {
		h.drift = before
		left := h.ticks(t.at - from)
		h.drift = int64(ppm)
		t.at = from + h.takes(left)
	})
	h.drift = int64(ppm)
}

// setOwn makes t due when d is over by the clock of its life, or the world's where it has none.
func (k *Kernel) setOwn(t *timer, d time.Duration) {
	p := t.life
	t.own = p != nil
	if p == nil {
		k.clock.set(t, k.Since()+micros(d))
		return
	}
	k.clock.set(t, max(k.Since(), p.mark)+p.host.takes(micros(d)))
}

// second in microseconds, and the whole of which ppm are parts.
const second = 1_000_000

// ticks is how far the monotonic clock gets while d passes, cut to microseconds.
func (h *host) ticks(d time.Duration) time.Duration {
	if h.drift == 0 {
		return d
	}
	us, rate := d.Microseconds(), second+h.drift
	return time.Duration(us/second*rate+us%second*rate/second) * time.Microsecond
}

// takes is the inverse of ticks: how much time passes until the clock got so far, and not less.
func (h *host) takes(d time.Duration) time.Duration {
	if h.drift == 0 {
		return d
	}
	us, rate := d.Microseconds(), second+h.drift
	return time.Duration(us/rate*second+(us%rate*second+rate-1)/rate) * time.Microsecond
}

// signed spells a step: +90s, -2s.
func signed(d time.Duration) string {
	if d < 0 {
		return "-" + Seconds(-d)
	}
	return "+" + Seconds(d)
}
