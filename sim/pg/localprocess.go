package pg

import (
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// shutdownMax is longer than the five seconds after which a postmaster kills children that do not react (stopped ones).
const shutdownMax = 8 * time.Second

// localProcess is a postmaster that we started.
type localProcess struct {
	pid  int
	gone chan struct{} // closed when it has ended, and its children with it
	tail *logTail
}

// startLocal starts a postmaster. The goroutine that starts it also waits for it, on a thread of its own: the kernel
// ends the server when that thread ends, which is when this process does, even by kill -9.
func startLocal(program string, args []string, account localAccount, core int) (*localProcess, error) {
	p := &localProcess{gone: make(chan struct{}), tail: &logTail{}}
	cmd := exec.Command(program, args...)
	cmd.Dir = "/"
	cmd.Env = serverEnvironment()
	cmd.SysProcAttr = childAttributes(account.credential, syscall.SIGQUIT)
	cmd.Stdout, cmd.Stderr = p.tail, p.tail // always drained: with a full pipe the backends would hang in write
	cmd.WaitDelay = time.Second

	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread keeps its core and ends with the goroutine
		pinThread(core)
		err := cmd.Start()
		if err == nil {
			p.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			_ = cmd.Wait() // how a thrown-away server ended is nobody's concern
			close(p.gone)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return p, nil
}

// end stops the server at once and waits for it. An immediate shutdown, not a kill: it takes the server's shared memory along.
func (p *localProcess) end() error {
	if p == nil {
		return nil
	}
	timer := time.NewTimer(shutdownMax)
	defer timer.Stop()
	_ = syscall.Kill(p.pid, syscall.SIGQUIT) // not reaped yet while gone is open, so the pid is still its own
	select {
	case <-p.gone:
		return nil
	case <-timer.C:
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
		<-p.gone
		return fmt.Errorf("the postmaster %d did not shut down within %v and was killed", p.pid, shutdownMax)
	}
}

// logTail keeps the end of what a server says, for the error when it does not start.
type logTail struct {
	mu   sync.Mutex
	text []byte
}

func (t *logTail) Write(b []byte) (int, error) {
	const tailMax = 4096
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - tailMax; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(b), nil
}

func (t *logTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
