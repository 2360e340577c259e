//go:build linux

package pg

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// procSignaller signals from this machine, for a local server and for a container on this machine's own daemon. A backend
// is a child of the postmaster whose innermost pid is the one asked for. A pidfd holds on to it: a pid that was given to
// another process in the meantime is never signalled, which matters to somebody who is root.
type procSignaller struct {
	postmaster int // the machine's pid

	mu       sync.Mutex
	backends map[int]procBackend // by the server's pid
}

type procBackend struct {
	pidfd int
	stat  *os.File // /proc/N/stat, read again from its start each time
}

// newProcSignaller fails where /proc does not tell a process's children.
func newProcSignaller(postmaster int) (*procSignaller, error) {
	if _, err := childrenOf(postmaster); err != nil {
		return nil, fmt.Errorf("signal through /proc: %w", err)
	}
	fd, err := unix.PidfdOpen(postmaster, 0)
	if err != nil {
		return nil, fmt.Errorf("signal through /proc: pidfd_open: %w", err)
	}
	// Signal 0 tells whether this user may.
	err = unix.PidfdSendSignal(fd, 0, nil, 0)
	_ = unix.Close(fd)
	if err != nil {
		return nil, fmt.Errorf("signal through /proc: %w", err)
	}
	return &procSignaller{postmaster: postmaster, backends: map[int]procBackend{}}, nil
}

func (p *procSignaller) way() string { return "proc" }

func (p *procSignaller) stop(pid int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.send(pid, unix.SIGSTOP); err != nil {
		return err
	}
	return p.awaitStopped(pid)
}

func (p *procSignaller) cont(pid int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.send(pid, unix.SIGCONT)
}

// send signals the process, looked up anew when the one remembered has ended.
func (p *procSignaller) send(pid int, signal unix.Signal) error {
	if b, ok := p.backends[pid]; ok {
		err := unix.PidfdSendSignal(b.pidfd, signal, nil, 0)
		if !errors.Is(err, unix.ESRCH) {
			return err
		}
		p.forget(pid)
	}
	b, err := p.find(pid)
	if err != nil {
		return err
	}
	p.backends[pid] = b
	if err := unix.PidfdSendSignal(b.pidfd, signal, nil, 0); err != nil {
		p.forget(pid)
		if errors.Is(err, unix.ESRCH) {
			return ErrNoBackend
		}
		return err
	}
	return nil
}

// awaitStopped spins a little: the change mostly takes microseconds, a sleep would take longer. Then it gives the core
// away: where the backend is pinned to ours and stands in a scheduling group of its own (a container), spinning keeps it
// from ever seeing the signal, and a run took seconds.
func (p *procSignaller) awaitStopped(pid int) error {
	const spinMax = 20 * time.Second // a process in an uninterruptible wait stops only after it
	b := p.backends[pid]
	buf := make([]byte, 128)
	const spins = 30
	for turn, start := 0, time.Now(); time.Since(start) < spinMax; turn++ {
		if turn > spins {
			time.Sleep(20 * time.Microsecond)
		}
		n, err := b.stat.ReadAt(buf, 0)
		if n == 0 {
			p.forget(pid)
			return fmt.Errorf("%w (%v)", ErrNoBackend, err)
		}
		switch state := statState(buf[:n]); state {
		case 'T', 't':
			return nil
		case 'Z', 'X', 'x':
			p.forget(pid)
			return ErrNoBackend
		}
	}
	return fmt.Errorf("not in state T %v after SIGSTOP", spinMax)
}

// statState is the letter after the name, which stands in brackets and may hold brackets itself.
func statState(stat []byte) byte {
	if i := bytes.LastIndexByte(stat, ')'); i >= 0 && i+2 < len(stat) {
		return stat[i+2]
	}
	return '?'
}

func (p *procSignaller) find(pid int) (procBackend, error) {
	children, err := childrenOf(p.postmaster)
	if err != nil {
		return procBackend{}, fmt.Errorf("%w: the server has ended", ErrNoBackend)
	}
	for _, child := range children {
		if innermostPid(child) == pid {
			return holdBackend(child, pid)
		}
	}
	return procBackend{}, ErrNoBackend
}

// holdBackend opens the pidfd first and then looks again, so that what it holds is what was looked at.
func holdBackend(child, pid int) (procBackend, error) {
	fd, err := unix.PidfdOpen(child, 0)
	if err != nil {
		return procBackend{}, fmt.Errorf("%w: pidfd_open: %v", ErrNoBackend, err)
	}
	stat, err := os.Open(fmt.Sprintf("/proc/%d/stat", child))
	if err != nil || innermostPid(child) != pid {
		_ = unix.Close(fd)
		if stat != nil {
			_ = stat.Close()
		}
		return procBackend{}, ErrNoBackend
	}
	return procBackend{pidfd: fd, stat: stat}, nil
}

func (p *procSignaller) forget(pid int) {
	b := p.backends[pid]
	delete(p.backends, pid)
	_ = unix.Close(b.pidfd)
	_ = b.stat.Close()
}

func (p *procSignaller) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for pid := range p.backends {
		p.forget(pid)
	}
	return nil
}

// childrenOf lists the processes that the main thread of a process started.
func childrenOf(pid int) ([]int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil, err
	}
	var out []int
	for _, field := range strings.Fields(string(text)) {
		if child, err := strconv.Atoi(field); err == nil {
			out = append(out, child)
		}
	}
	return out, nil
}

// innermostPid is the pid that a process has in its own namespace, 0 when it has ended.
func innermostPid(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, found := strings.Cut(string(status), "\nNSpid:")
	if !found {
		return pid
	}
	line, _, _ := strings.Cut(rest, "\n")
	fields := strings.Fields(line)
	inner, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil {
		return 0
	}
	return inner
}

// containerPostmaster finds the postmaster among the children of a container's first process. Daemon and we may still see
// different processes (we in a container, it outside), so the pid is believed only if it is of another pid namespace and
// has our own session's backend as a child.
func containerPostmaster(first, backend int) (int, bool) {
	space, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", first))
	own, _ := os.Readlink("/proc/self/ns/pid")
	if err != nil || space == own {
		return 0, false
	}
	candidates, err := childrenOf(first)
	if err != nil {
		return 0, false
	}
	for _, candidate := range candidates {
		children, _ := childrenOf(candidate)
		for _, child := range children {
			if innermostPid(child) == backend {
				return candidate, true
			}
		}
	}
	return 0, false
}
