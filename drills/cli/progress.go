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
	drill  string
	drawn  bool // a line stands unfinished on the terminal
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
	every := plainEvery
	if p.redraw {
		every = redrawEvery
	}
	if p.drill == now.Drill && time.Since(p.last) < every && (now.Total == 0 || now.Done < now.Total) {
		return
	}
	p.drill, p.last = now.Drill, time.Now()
	if p.redraw {
		fmt.Fprintf(p.out, "\r\x1b[2K%s", cut(line(now)))
		p.drawn = true
		return
	}
	fmt.Fprintln(p.out, line(now))
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
	p.clear()
}

func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[2K")
		p.drawn = false
	}
}

// line: "lost-lease  140/600 runs, 78.1 a second, 6 s left; bitten: crash 12, stall 41".
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
	var bitten []string
	for _, kind := range slices.Sorted(maps.Keys(now.Faults)) {
		bitten = append(bitten, fmt.Sprintf("%s %d", kind, now.Faults[kind]))
	}
	if len(bitten) > 0 {
		b.WriteString("; bitten: " + strings.Join(bitten, ", "))
	}
	return b.String()
}

func cut(s string) string {
	if runes := []rune(s); len(runes) > lineMax {
		return string(runes[:lineMax-1]) + "…"
	}
	return s
}
