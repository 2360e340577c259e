package pg

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// errCut is what a client sees of a connection that broke under it.
var errCut error = &net.OpError{Op: "read", Net: "sim", Err: errors.New("connection reset by the simulation")}

// conn is the network connection of the driver, and the gate: Write stands still until the kernel lets the flush go, and
// finishes the round trip; Read only takes from what has come back.
//
// The driver's goroutines in the background (watchers of contexts, its slow-write timer, its asynchronous close) may call
// anything here at any time. So nothing of that has an effect on the server: what they can reach is under mu, and only the
// task's own goroutine, and the kernel at its death, touch the session.
type conn struct {
	sessions *Sessions
	kernel   *sim.Kernel
	process  *sim.Process // nil: the world's
	ordinal  int

	mu      sync.Mutex
	arrived *sync.Cond
	inbox   []byte          // answers that the driver has not read yet
	gone    error           // why the client end is no more; nil while it lives
	fallen  bool            // the server ended it, and the client does not know yet
	expired bool            // a deadline of the driver has passed: wakes Read, decides nothing
	session *session        // while a flush or a transaction is under way, or something of this connection is in it
	owner   context.Context // of the task that has checked the connection out
	query   context.Context // of the query that runs, where the driver told us

	// the task's own
	planner planner
	start   startup
	greeted bool
	status  byte // I, T or E, as the driver was told
	tx      transaction
	copyIn  *copyIn // nil: no COPY wants data
	frozen  bool    // its transactions may keep one snapshot for all their statements
}

// dial is the DialFunc of the driver. A dial without a task in its context comes from the driver's background (a cancel
// request) and is refused; so is one of a life that is over.
func (l *life) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if l.over.Load() {
		return nil, fmt.Errorf("dial: %w", sim.ErrKilled)
	}
	if sim.TaskOf(ctx) == nil {
		return nil, fmt.Errorf("dial without a task in its context: %w", errCut)
	}
	s := l.sessions
	s.mu.Lock()
	s.run.dials++
	c := &conn{sessions: s, kernel: s.run.kernel, process: l.process, ordinal: s.run.dials, owner: context.WithoutCancel(ctx)}
	s.run.conns[c] = struct{}{}
	s.mu.Unlock()
	c.arrived = sync.NewCond(&c.mu)
	c.planner = planner{texts: s.statement, declared: map[string]parseMessage{}, portals: map[string]execution{}}
	if l.process != nil {
		l.process.Attach(c)
	}
	return c, nil
}

// Write carries one flush through the gate. It returns when the answer, if one comes, can be read. Once the flush has been
// taken, whatever breaks shows in Read only: a failed Write of nothing would tell the driver that nothing was sent, and
// the program that it may safely try again.
func (c *conn) Write(b []byte) (int, error) {
	c.mu.Lock()
	gone, ctx := c.gone, c.query
	if ctx == nil {
		ctx = c.owner
	}
	c.mu.Unlock()
	if gone != nil {
		if len(b) > 0 && copyMessage(b[0]) {
			return len(b), nil // the driver writes a COPY beside its reading: which of the two sees the end first is its scheduler's chance
		}
		return 0, gone
	}
	if !c.greeted {
		c.greet(b)
		return len(b), nil
	}
	if len(b) > 0 && copyMessage(b[0]) && len(c.planner.held) == 0 {
		if err := c.takeCopy(b); err != nil {
			c.refuse(err)
			return 0, err
		}
		return len(b), nil
	}
	f, err := c.planner.plan(b, c.status)
	if err != nil {
		c.refuse(err)
		return 0, err
	}
	switch {
	case f.ends:
		c.end(errCut)
	case f.executes == nil && c.isFallen():
		c.perish(ctx)
	case f.executes == nil:
		c.deliver(f.local)
	default:
		c.carry(ctx, f)
	}
	return len(b), nil
}

// greet answers the start-up message as the server answered it to the first session of that kind.
func (c *conn) greet(b []byte) {
	start, err := readStartup(b)
	if err != nil {
		c.refuse(err)
		return
	}
	start.user, start.database = c.sessions.pool.ConnConfig.User, c.sessions.database
	if err := refuseStartup(start, c.sessions.permits()); err != nil {
		c.refuse(err)
		return
	}
	if refused := c.sessions.refused(); refused != nil {
		c.deliver(refused)
		c.end(errCut)
		return
	}
	hello, err := c.sessions.hello(start)
	if err != nil {
		c.refuse(err)
		return
	}
	c.start, c.greeted, c.status, c.frozen = start, true, 'I', c.sessions.freezes(start)
	c.planner.describe = func(p parseMessage) (description, bool) { return c.sessions.describe(start, p) }
	c.planner.recall = func(p parseMessage) (description, bool) { return c.sessions.recall(start, p) }
	c.deliver(appendHelloEnd(hello, c.ordinal))
}

// deliver puts an answer where Read finds it.
func (c *conn) deliver(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone == nil { // it may have died while its process was stalled
		c.inbox = append(c.inbox, b...)
		c.arrived.Broadcast()
	}
}

// end: the client end is no more. Its session is rolled back and handed on before end returns. Safe to call again.
func (c *conn) end(why error) {
	if on := c.detach(why); on != nil {
		c.sessions.release(on)
	}
}

// detach is end, but for the session, which is the caller's now (nil where this connection holds none).
func (c *conn) detach(why error) *session {
	c.mu.Lock()
	on := c.session
	c.session = nil
	first := c.gone == nil
	if first {
		c.gone = why
	}
	c.arrived.Broadcast()
	c.mu.Unlock()
	if first {
		c.sessions.forgetConn(c)
		if c.process != nil {
			c.process.Detach(c)
		}
	}
	return on
}

func (s *Sessions) forgetConn(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.run.conns, c)
}

// Abandon implements sim.Session: the process died.
func (c *conn) Abandon() {
	c.mu.Lock()
	c.inbox = nil
	c.mu.Unlock()
	c.vanish(sim.ErrKilled, c.process.Actor())
}

// Close is called by the driver, often from its background; an end that the task has seen already is one already.
func (c *conn) Close() error {
	c.end(net.ErrClosed)
	return nil
}

// Read takes what has arrived. It waits for nothing but that: the end, a deadline of the driver.
func (c *conn) Read(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.inbox) == 0 {
		if c.gone != nil {
			return 0, c.gone
		}
		if c.expired {
			return 0, os.ErrDeadlineExceeded
		}
		c.arrived.Wait()
	}
	n := copy(b, c.inbox)
	c.inbox = c.inbox[n:]
	return n, nil
}

// SetDeadline only wakes a Read that would wait: deadlines that mean something are those of the Runtime.
func (c *conn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expired = !t.IsZero() && !t.After(time.Now())
	c.arrived.Broadcast()
	return nil
}

func (c *conn) SetReadDeadline(t time.Time) error { return c.SetDeadline(t) }
func (c *conn) SetWriteDeadline(time.Time) error  { return nil }
func (c *conn) LocalAddr() net.Addr               { return address("client") }
func (c *conn) RemoteAddr() net.Addr              { return address("postgres") }

// address of an end of a simulated connection.
type address string

func (address) Network() string  { return "sim" }
func (a address) String() string { return string(a) }
