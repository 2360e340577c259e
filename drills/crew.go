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
	"time"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim/pg"
)

const (
	waitingMax = 64              // orders that wait for a free member, for each of them
	leaveMax   = 8 * time.Second // real time a worker has after Ctrl-C: most of it to put its server away
)

// crewSetup is what every member is told at its start.
type crewSetup struct {
	Postgres, Image, Statements, Run string
	Members                          int
	Explicit                         bool // the number of members was asked for
}

// crew is the parent's side of the worker processes: one process a server, so that a member's heap, pool and
// server are its own and its death costs one run.
type crew struct {
	setup   crewSetup
	log     func(string, ...any)
	jobs    chan job // for whoever is free
	members []*member
	done    sync.WaitGroup
	gone    chan struct{} // closed when every member has ended
	mu      sync.Mutex
	over    bool // jobs is closed
	failed  error
	left    []string // what members that had to be killed may have left behind
}

// member is one worker process as its parent sees it.
type member struct {
	number int
	own    chan job      // for it and nobody else
	gone   chan struct{} // closed when it takes nothing more
}

// core is the member's alone within a campaign. Campaigns of one member beside each other, as tests make them, do not share
// one core while another has nothing to do.
func (m *member) core() int { return pg.FreeCore() + m.number }

// job is an order under way; reply has room for its one answer.
type job struct {
	order order
	reply chan answer
}

// submit hands an order to the next free member and gives the channel on which its answer comes. It waits only while
// very much is under way; nil when ctx ended first.
func (c *crew) submit(ctx context.Context, o order) <-chan answer {
	j := job{o, make(chan answer, 1)}
	select {
	case c.jobs <- j:
		return j.reply
	case <-ctx.Done():
		return nil
	}
}

// elsewhere hands an order to the member after this one, or to whoever is free where that one has ended. It waits until
// that member takes it.
func (c *crew) elsewhere(ctx context.Context, than int, o order) <-chan answer {
	j := job{o, make(chan answer, 1)}
	other := c.members[(than+1)%len(c.members)]
	select {
	case other.own <- j:
		return j.reply
	case <-other.gone:
		return c.submit(ctx, o)
	case <-ctx.Done():
		return nil
	}
}

// postgresTold is the first line a member says: the server it got.
type postgresTold struct {
	How     string `json:"how"`
	Version string `json:"version"`
	Replays bool   `json:"replays"` // false: the server can't be stopped, no replay is claimed
	Where   string `json:"where"`   // its address: what stays behind where the worker has to be killed
	Err     string `json:"err,omitempty"`
	Kind    string `json:"kind,omitempty"` // usage | error
}

// muster starts the members: those that get servers of their own at once; on a given server the others only after the first
// has told it, for one that can't be stopped takes one member: no replay is claimed there anyway. An error of any is the
// campaign's.
func muster(ctx context.Context, s crewSetup, log func(string, ...any)) (*crew, postgresTold, error) {
	c := &crew{setup: s, log: log, jobs: make(chan job, waitingMax*s.Members), gone: make(chan struct{})}
	first := c.enlist(ctx)
	var others []<-chan postgresTold
	enlistOthers := func() {
		for len(c.members) < s.Members {
			others = append(others, c.enlist(ctx))
		}
	}
	given := pg.IsGiven(s.Postgres)
	if !given {
		enlistOthers()
	}
	server := <-first
	switch {
	case server.Err == "" && !server.Replays && s.Explicit && s.Members > 1:
		server.Err, server.Kind = fmt.Sprintf("--servers %d: this server can't be stopped between two steps (no superuser), so 1 is accepted", s.Members), "usage"
	case server.Err == "" && server.Replays && given:
		enlistOthers()
	}
	for _, told := range others {
		if other := <-told; server.Err == "" && other.Err != "" {
			server = other
		}
	}
	if server.Err == "" {
		go func() {
			c.done.Wait()
			close(c.gone)
			for j := range c.jobs {
				j.reply <- answer{nobody: true}
			}
		}()
		return c, server, nil
	}
	c.dismiss()
	if server.Kind == "usage" {
		return nil, server, &UsageError{errors.New(server.Err)}
	}
	return nil, server, errors.New(server.Err)
}

// enlist starts one member, which tells its server once.
func (c *crew) enlist(ctx context.Context) <-chan postgresTold {
	told := make(chan postgresTold, 1)
	m := &member{number: len(c.members), own: make(chan job), gone: make(chan struct{})}
	c.members = append(c.members, m)
	c.done.Add(1)
	go func() {
		defer c.done.Done()
		defer close(m.gone)
		if err := c.serve(ctx, m, told); err != nil {
			c.fail(err)
		}
	}()
	return told
}

// dismiss ends the members after their last order and waits for them.
func (c *crew) dismiss() {
	c.mu.Lock()
	c.over = true
	close(c.jobs)
	c.mu.Unlock()
	c.done.Wait()
}

// handBack gives an order that a dead member had not begun to the others; false where nobody can have it.
func (c *crew) handBack(j job) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	select {
	case c.jobs <- j:
		return true
	default:
		return false
	}
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

// serve runs one worker process: it hands it orders, two ahead so that it never waits, and passes its answers on.
func (c *crew) serve(ctx context.Context, m *member, told chan<- postgresTold) error {
	var complaints tail
	cmd, in, out, err := c.start(ctx, m, &complaints)
	if err != nil {
		told <- postgresTold{Err: err.Error()}
		return err
	}
	lines := bufio.NewReaderSize(out, 1<<20)
	var server postgresTold
	if err := readLine(lines, &server); err != nil {
		waitErr := cmd.Wait()
		server.Err = fmt.Sprintf("worker %d ended before it had a server: %v: %s", m.number, waitErr, complaints.String())
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
		c.hand(m, in, ahead)
	}()
	var lost error
	for j := range ahead {
		var a answer
		if lost != nil && c.handBack(j) {
			continue // it was not begun: only the one under way is lost
		}
		if lost == nil {
			lost = readLine(lines, &a)
		}
		if lost != nil {
			a = answer{Run: reports.Run{Drill: j.order.Drill, Seed: j.order.Seed, Verdict: reports.Error,
				Error: fmt.Sprintf("the worker process ended in this run: %s", complaints.String())}}
		}
		a.member = m.number
		j.reply <- a
	}
	sending.Wait()
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() == nil:
	case killed(err):
		c.leave(fmt.Sprintf("worker %d did not end within %s of Ctrl-C and was killed; its %s server at %s may still be there, until the next recondrill drill takes it away",
			m.number, leaveMax, server.How, server.Where))
	case errors.As(err, &exit):
		c.leave(fmt.Sprintf("worker %d: %s", m.number, strings.TrimPrefix(complaints.last(), "recondrill: ")))
	}
	if lost != nil && ctx.Err() == nil {
		return fmt.Errorf("worker %d: %v: %s", m.number, err, complaints.String())
	}
	return nil
}

// start starts a worker process.
func (c *crew) start(ctx context.Context, m *member, complaints *tail) (*exec.Cmd, io.WriteCloser, io.Reader, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, nil, err
	}
	cmd := exec.CommandContext(ctx, exe, "worker", "--postgres", c.setup.Postgres, "--image", c.setup.Image,
		"--statements", c.setup.Statements, "--run", fmt.Sprintf("%s-%d", c.setup.Run, m.number), "--core", fmt.Sprint(m.core()))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it has a server to put away
	cmd.WaitDelay = leaveMax                                              // a server that is frozen never answers it
	leadOwnGroup(cmd)
	cmd.Stderr = io.MultiWriter(complaints, logWriter{c.log})
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	return cmd, in, out, cmd.Start()
}

// hand gives a member its orders, those that are for it alone first, until there are no more or it has gone.
func (c *crew) hand(m *member, in io.Writer, ahead chan<- job) {
	enc := json.NewEncoder(in)
	for {
		var j job
		more := true
		select {
		case j = <-m.own:
		default:
			select {
			case j = <-m.own:
			case j, more = <-c.jobs:
			}
		}
		if !more {
			return
		}
		ahead <- j
		if err := enc.Encode(j.order); err != nil {
			return // the reader sees the end too and answers for what is ahead
		}
	}
}

func killed(err error) bool {
	var exit *exec.ExitError
	return errors.Is(err, exec.ErrWaitDelay) || errors.As(err, &exit) && exit.ExitCode() < 0
}

func (c *crew) leave(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = append(c.left, what)
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

// last is the last line.
func (t *tail) last() string {
	text := t.String()
	return text[strings.LastIndexByte(text, '\n')+1:]
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
