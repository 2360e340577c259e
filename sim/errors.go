package sim

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrKilled is what every gate answers a task whose process has died, without effect. Duty: return. After 20
	// such answers the goroutine is ended where it stands.
	ErrKilled = errors.New("sim: the process was killed")
	// ErrDeadline is Block's answer when the context of a waiting statement ended and its cancel reached the server.
	// Duty of the wire: cancel the backend, let it go on, and give the client the context's error.
	ErrDeadline = errors.New("sim: the context of a statement that waits in the server ended")
	// ErrDeadlineNotSent is Pass's answer when the context of a statement ended before it went out, and it never does.
	// Duty of the wire: send nothing, and give the client the context's error.
	ErrDeadlineNotSent = errors.New("sim: the context of a statement ended before it was sent")
	// ErrCutWaiting is Block's answer when the connection breaks while the statement waits ({cut waiting}). Duty of the
	// wire: the client's end is gone; what becomes of the statement is the server's affair.
	ErrCutWaiting error = &WaitBroken{cutWaiting}
	// ErrDeadlineCompletes is an ErrDeadline whose cancel never arrived: the client gets its error now, the session is
	// taken over and the statement completes when it is granted (Later). errors.Is(err, ErrDeadline) holds as well.
	ErrDeadlineCompletes = fmt.Errorf("%w, and the statement completes anyway", ErrDeadline)
)

// WaitBroken is Block's answer when what the wire offered there was decided: it must carry Value out.
type WaitBroken struct{ Value Value }

func (e *WaitBroken) Error() string {
	return "sim: while the statement waited in the server: " + e.Value.String()
}

// Stuck means that every task waits and no timer is left: a violation, not an error of the run.
type Stuck struct {
	At       time.Duration
	Standing []string // who stands where, in order of creation
}

func (e *Stuck) Error() string {
	return fmt.Sprintf("stuck at %s: everything waits and no timer is left:\n  %s", e.At, strings.Join(e.Standing, "\n  "))
}

// Livelock means that more than S moves were made and time did not move: a violation, not an error of the run.
type Livelock struct {
	At       time.Duration
	Moves    int
	Standing []string // who stands where, with the count of its moves at this instant
}

func (e *Livelock) Error() string {
	return fmt.Sprintf("livelock at %s: %d moves without time moving:\n  %s", e.At, e.Moves, strings.Join(e.Standing, "\n  "))
}

// Hung means that the task that had the floor reached no gate within the watchdog's real time: it blocks on something
// the kernel does not know, or it loops. Its goroutine may be left behind.
type Hung struct {
	Actor Actor
	After time.Duration
	Dump  string // all goroutines
}

func (e *Hung) Error() string {
	return fmt.Sprintf("hung: %s reached no gate within %s of real time; goroutines:\n%s", e.Actor, e.After, e.Dump)
}

// Panicked means that a task panicked. In production that ends the process; here it ends the run.
type Panicked struct {
	Actor Actor
	Value any
	Stack string
}

func (e *Panicked) Error() string {
	return fmt.Sprintf("panic in %s: %v\n%s", e.Actor, e.Value, e.Stack)
}

// Stray means that a gate was reached by a goroutine that had not the floor: a `go` behind the kernel's back, or a
// context without a task.
type Stray struct{ What string }

func (e *Stray) Error() string { return "stray goroutine: " + e.What }
