package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recondrill/recondrill/drills"
)

const (
	redrawEvery = 100 * time.Millisecond
	plainEvery  = 10 * time.Second
	guessFrom   = 3 * time.Second // before it the servers' start counts as work
	lineMax     = 100             // columns: a longer line would wrap, and a redraw would leave its tail
)

// progress shows how a campaign goes on: one line that is redrawn on a terminal, a line now and then elsewhere.
type progress struct {
	mu     sync.Mutex // runs and servers talk at the same time
	out    io.Writer
	redraw bool
	last   time.Time
	now    drills.Progress // the last one
	before drills.Progress // the last one of the drill before
	drawn  bool            // a line stands unfinished on the terminal
}

func newProgress(out io.Writer, variable func(string) string) *progress {
	return &progress{out: out, redraw: terminal(out) && variable("TERM") != "dumb"}
}

// terminal says whether people look at w directly.
func terminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p *progress) show(now drills.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Where the time decides, the drills take turns, and none of them is done before the end.
	first := p.now.Drill != now.Drill && (now.Total > 0 || p.now.Drill == "")
	if first {
		p.ended()
	}
	p.now = now
	p.now.Faults = maps.Clone(now.Faults) // the campaign goes on counting in it
	every := plainEvery
	if p.redraw {
		every = redrawEvery
	}
	if !first && time.Since(p.last) < every && (now.Total == 0 || now.Done < now.Total) {
		return
	}
	p.last = time.Now()
	if p.redraw {
		fmt.Fprintf(p.out, "\r\x1b[2K%s", cut(line(now)))
		p.drawn = true
		return
	}
	fmt.Fprintln(p.out, cut(line(now)))
}

// ended tells at the end of a drill which faults bit in it.
func (p *progress) ended() {
	var bitten []string
	for _, kind := range slices.Sorted(maps.Keys(p.now.Faults)) {
		if n := p.now.Faults[kind] - p.before.Faults[kind]; n > 0 {
			bitten = append(bitten, fmt.Sprintf("%s %d", kind, n))
		}
	}
	if len(bitten) > 0 {
		p.clear()
		fmt.Fprintln(p.out, cut(fmt.Sprintf("%s  done, %d runs; bitten: %s", p.now.Drill, p.now.Done-p.before.Done, strings.Join(bitten, ", "))))
	}
	p.before = p.now
}

// log prints a line above the one that is redrawn.
func (p *progress) log(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintf(p.out, format+"\n", args...)
}

// end leaves the terminal as it was found.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.Total > 0 {
		p.ended()
	}
	p.clear()
}

func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[2K")
		p.drawn = false
	}
}

// line: "lost-lease  140/600 runs, 78.1 a second, 6s left".
func line(now drills.Progress) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %d", now.Drill, now.Done)
	if now.Total > 0 {
		fmt.Fprintf(&b, "/%d", now.Total)
	}
	fmt.Fprintf(&b, " runs, %.1f a second", now.RunsPerSecond)
	if now.Left > 0 && now.Elapsed >= guessFrom {
		fmt.Fprintf(&b, ", %s left", now.Left.Round(time.Second))
	}
	return b.String()
}

func cut(s string) string {
	if runes := []rune(s); len(runes) > lineMax {
		return string(runes[:lineMax-1]) + "…"
	}
	return s
}
