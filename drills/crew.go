package drills

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/recondrill/recondrill/reports"
)

// order is one run that a crew member is asked for; one JSON object a line on its standard input.
type order struct {
	Drill  string `json:"drill"`
	Seed   uint64 `json:"seed"`
	Script string `json:"script,omitempty"` // run these deviations instead of the seed's
	Again  bool   `json:"again,omitempty"`  // run it a second time after other runs and compare, pass or not
	Shrink bool   `json:"shrink,omitempty"` // look for a smaller set of deviations that fails the same way
	Gates  bool   `json:"gates,omitempty"`  // tell what could have been decided where: the sweep's map
	Sample bool   `json:"sample,omitempty"` // send marks although it passed
}

// answer is what came of an order; one JSON object a line on the member's standard output.
type answer struct {
	Run    reports.Run    `json:"run"`
	Marks  []reports.Mark `json:"marks,omitempty"`
	Script string         `json:"script,omitempty"` // the deviations used, a file that replays
	Points []string       `json:"points,omitempty"` // with Gates: deviations worth a run each
}

// crewSetup is what every member is told at its start.
type crewSetup struct {
	Postgres, Image, Statements, Run string
	Members                          int
	Explicit                         bool // the number of members was asked for
}

// crew is the parent's side of the worker processes: one process a server, so that a member's heap, pool and
// server are its own and its death costs one run.
type crew struct {
	setup  crewSetup
	log    func(string, ...any)
	jobs   chan job
	done   sync.WaitGroup
	gone   chan struct{} // closed when every member has ended
	mu     sync.Mutex
	failed error
}

// job is an order under way; reply has room for its one answer.
type job struct {
	order order
	reply chan answer
}

// submit hands an order to the next free member and gives the channel on which its answer comes. It waits while
// all members have enough to do; nil when ctx ended first, or no member is left (see err).
func (c *crew) submit(ctx context.Context, o order) <-chan answer {
	j := job{o, make(chan answer, 1)}
	select {
	case c.jobs <- j:
		return j.reply
	case <-c.gone:
		return nil
	case <-ctx.Done():
		return nil
	}
}

// postgresTold is the first line a member says: the server it got.
type postgresTold struct {
	How     string `json:"how"`
	Version string `json:"version"`
	Replays bool   `json:"replays"` // false: the server can't be stopped, no replay is claimed
	Err     string `json:"err,omitempty"`
	Kind    string `json:"kind,omitempty"` // usage | error
}

// muster starts the members. The first tells its server before the others start: an error of it is the campaign's,
// and on a server that can't be stopped there is one member only, since no replay is claimed there anyway.
func muster(ctx context.Context, s crewSetup, log func(string, ...any)) (*crew, postgresTold, error) {
	c := &crew{setup: s, log: log, jobs: make(chan job), gone: make(chan struct{})}
	server := c.enlist(ctx, 0)
	switch {
	case server.Err == "" && !server.Replays && s.Explicit && s.Members > 1:
		server.Err, server.Kind = fmt.Sprintf("--servers %d: this server can't be stopped between two steps (no superuser), so 1 is accepted", s.Members), "usage"
	case server.Err == "" && server.Replays:
		for i := 1; i < s.Members && server.Err == ""; i++ {
			if other := c.enlist(ctx, i); other.Err != "" {
				server = other
			}
		}
	}
	if server.Err == "" {
		go func() {
			c.done.Wait()
			close(c.gone)
		}()
		return c, server, nil
	}
	c.dismiss()
	if server.Kind == "usage" {
		return nil, server, &UsageError{errors.New(server.Err)}
	}
	return nil, server, errors.New(server.Err)
}

// enlist starts one member and waits until it has told its server.
func (c *crew) enlist(ctx context.Context, i int) postgresTold {
	told := make(chan postgresTold, 1)
	c.done.Add(1)
	go func() {
		defer c.done.Done()
		if err := c.member(ctx, i, told); err != nil {
			c.fail(err)
		}
	}()
	return <-told
}

// dismiss ends the members after their last order and waits for them.
func (c *crew) dismiss() {
	close(c.jobs)
	c.done.Wait()
}

func (c *crew) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		c.failed = err
	}
}

func (c *crew) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// member runs one worker process: it hands it orders, two ahead so that it never waits, and passes its answers on.
func (c *crew) member(ctx context.Context, core int, told chan<- postgresTold) error {
	exe, err := os.Executable()
	if err != nil {
		told <- postgresTold{Err: err.Error()}
		return err
	}
	cmd := exec.CommandContext(ctx, exe, "worker", "--postgres", c.setup.Postgres, "--image", c.setup.Image,
		"--statements", c.setup.Statements, "--run", fmt.Sprintf("%s-%d", c.setup.Run, core), "--core", fmt.Sprint(core))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it has a server to put away
	cmd.WaitDelay = shutdownMax
	leadOwnGroup(cmd)
	var complaints tail
	cmd.Stderr = io.MultiWriter(&complaints, logWriter{c.log})
	in, err := cmd.StdinPipe()
	if err != nil {
		told <- postgresTold{Err: err.Error()}
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		told <- postgresTold{Err: err.Error()}
		return err
	}
	if err := cmd.Start(); err != nil {
		told <- postgresTold{Err: err.Error()}
		return err
	}
	lines := bufio.NewReaderSize(out, 1<<20)
	var server postgresTold
	if err := readLine(lines, &server); err != nil {
		waitErr := cmd.Wait()
		server.Err = fmt.Sprintf("worker %d ended before it had a server: %v: %s", core, waitErr, complaints.String())
	}
	told <- server
	if server.Err != "" {
		in.Close()
		cmd.Wait()
		return nil // told; muster decides
	}

	ahead := make(chan job, 2) // handed over and not answered yet
	var sending sync.WaitGroup
	sending.Add(1)
	go func() {
		defer sending.Done()
		defer close(ahead)
		defer in.Close()
		enc := json.NewEncoder(in)
		for j := range c.jobs {
			ahead <- j
			if err := enc.Encode(j.order); err != nil {
				return // the reader below sees the end too and answers for what is ahead
			}
		}
	}()
	var lost error
	for j := range ahead {
		var a answer
		if lost == nil {
			lost = readLine(lines, &a)
		}
		if lost != nil {
			a = answer{Run: reports.Run{Drill: j.order.Drill, Seed: j.order.Seed, Verdict: reports.Error,
				Error: fmt.Sprintf("the worker process ended in this run or the one before: %s", complaints.String())}}
		}
		j.reply <- a
	}
	sending.Wait()
	err = cmd.Wait()
	if lost != nil && ctx.Err() == nil {
		return fmt.Errorf("worker %d: %v: %s", core, err, complaints.String())
	}
	return nil
}

func readLine(r *bufio.Reader, into any) error {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}

// tail keeps the last lines that a worker complained.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const tailMax = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(p)
	if extra := t.buf.Len() - tailMax; extra > 0 {
		t.buf.Next(extra)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(t.buf.String())
}

// logWriter hands what a worker says to the campaign's log, a line at a time.
type logWriter struct{ log func(string, ...any) }

func (w logWriter) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		if line = strings.TrimSpace(line); line != "" {
			w.log("%s", line)
		}
	}
	return len(p), nil
}
