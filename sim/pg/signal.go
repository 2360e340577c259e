package pg

import "errors"

// ErrNoBackend says that the process is no backend of this server, or no longer one. For a stop that means that its
// session has ended; the caller reads the end from its connection.
var ErrNoBackend = errors.New("there is no such backend")

// signaller stops backends and lets them go on. Its pids are the server's own, as pg_backend_pid() tells them, which
// inside a container are not the machine's. Safe for several goroutines.
type signaller interface {
	// stop returns nil only when the process is in state T: SIGSTOP is asynchronous, and in up to a tenth of the
	// cases the process still ran when the system call had returned. ErrNoBackend: it has ended.
	stop(pid int) error
	cont(pid int) error
	way() string
	close() error
}
