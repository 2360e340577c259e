//go:build !linux

package pg

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// procSignaller for systems without /proc: kill, and ps to be certain.
type procSignaller struct{ postmaster int }

func newProcSignaller(postmaster int) (*procSignaller, error) {
	if err := syscall.Kill(postmaster, 0); err != nil {
		return nil, fmt.Errorf("signal through kill: %w", err)
	}
	return &procSignaller{postmaster: postmaster}, nil
}

func (p *procSignaller) way() string  { return "kill" }
func (p *procSignaller) close() error { return nil }

func (p *procSignaller) stop(pid int) error {
	if err := p.send(pid, syscall.SIGSTOP); err != nil {
		return err
	}
	const spinMax = 2 * time.Second
	for start := time.Now(); time.Since(start) < spinMax; {
		state, parent := p.look(pid)
		if parent != p.postmaster {
			return ErrNoBackend
		}
		if strings.HasPrefix(state, "T") {
			return nil
		}
	}
	return fmt.Errorf("not in state T %v after SIGSTOP", spinMax)
}

func (p *procSignaller) cont(pid int) error { return p.send(pid, syscall.SIGCONT) }

func (p *procSignaller) send(pid int, signal syscall.Signal) error {
	if _, parent := p.look(pid); parent != p.postmaster {
		return ErrNoBackend
	}
	if err := syscall.Kill(pid, signal); errors.Is(err, syscall.ESRCH) {
		return ErrNoBackend
	} else if err != nil {
		return err
	}
	return nil
}

// look asks for state and parent; the parent is 0 when there is no such process.
func (p *procSignaller) look(pid int) (state string, parent int) {
	out, _ := exec.Command("ps", "-o", "state=,ppid=", "-p", strconv.Itoa(pid)).Output()
	fields := strings.Fields(string(out))
	if len(fields) != 2 {
		return "", 0
	}
	parent, _ = strconv.Atoi(fields[1])
	return fields[0], parent
}

// containerPostmaster finds nothing: containers run in a virtual machine here.
func containerPostmaster(int, int) (int, bool) { return 0, false }
