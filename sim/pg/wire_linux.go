package pg

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// blockingWire reads and writes a socket by plain system calls that block the thread. The runtime's poller would park the
// goroutine and wake it through another thread, which costs more than the server takes for a small statement.
type blockingWire struct {
	file     *os.File // owns the descriptor
	fd       int
	patience time.Duration
}

// slice is how long one system call may take. The first one of a read is hidden from the runtime's scheduler, so it bounds
// for how long a slow answer can hold up other goroutines.
const slice = 4 * time.Millisecond

// block takes a connection over. A connection that is no plain socket (TLS) stays with the poller.
func block(c net.Conn, patience time.Duration) (wire, error) {
	plain, ok := c.(interface{ File() (*os.File, error) })
	if !ok {
		return &polledWire{c, patience}, nil
	}
	file, err := plain.File()
	if err != nil {
		return nil, fmt.Errorf("take the socket over: %w", err)
	}
	_ = c.Close() // the descriptor in file is another one
	b := &blockingWire{file: file, fd: int(file.Fd()), patience: patience}
	bound := unix.NsecToTimeval(slice.Nanoseconds())
	err = errors.Join(unix.SetNonblock(b.fd, false),
		unix.SetsockoptTimeval(b.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &bound),
		unix.SetsockoptTimeval(b.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &bound))
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("take the socket over: %w", err)
	}
	return b, nil
}

func (b *blockingWire) Read(p []byte) (int, error) {
	n, err := b.hidden(syscall.SYS_READ, p)
	for end := (time.Time{}); err == syscall.EAGAIN || err == syscall.EINTR; n, err = syscall.Read(b.fd, p) {
		if end, err = b.bound(end); err != nil {
			return 0, err
		}
	}
	if n == 0 && err == nil {
		err = io.EOF
	}
	return max(n, 0), err
}

func (b *blockingWire) Write(p []byte) (done int, err error) {
	for end := (time.Time{}); done < len(p); {
		n, err := b.hidden(syscall.SYS_WRITE, p[done:])
		if err == syscall.EAGAIN || err == syscall.EINTR {
			if end, err = b.bound(end); err != nil {
				return done, err
			}
			continue
		}
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// bound starts the patience when an answer does not come at once, and ends it.
func (b *blockingWire) bound(end time.Time) (time.Time, error) {
	now := time.Now()
	switch {
	case end.IsZero():
		return now.Add(b.patience), nil
	case now.After(end):
		return end, os.ErrDeadlineExceeded
	}
	return end, nil
}

// hidden is a system call of which the scheduler does not know: nobody takes over meanwhile, and nobody has to be asked
// for the processor afterwards.
func (b *blockingWire) hidden(call uintptr, p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, _, errno := syscall.RawSyscall(call, uintptr(b.fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

func (b *blockingWire) Close() error { return b.file.Close() }
