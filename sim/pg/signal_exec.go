package pg

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"
)

// execScript is a loop of a shell's own words, so that a signal costs no process. It knows only children of the
// postmaster, and answers a stop when the process is in state T.
const execScript = `read -r postmaster </recondrill/data/postmaster.pid
look() { comm=; state=X; parent=; read -r pid comm state parent rest </proc/$1/stat; }
echo ready
while read -r signal target; do
	look "$target"
	if [ "$comm" != "(postgres)" ] || [ "$parent" != "$postmaster" ] || ! kill -s "$signal" "$target"; then
		echo gone
		continue
	fi
	answer=ok
	turns=0
	while [ "$signal" = STOP ]; do
		look "$target"
		case $state in
		T | t) break ;;
		Z | X | x) answer=gone; break ;;
		esac
		turns=$((turns + 1))
		[ "$turns" -lt 200000 ] || { answer=busy; break; }
	done
	echo "$answer"
done 2>/dev/null`

// execSignaller signals through a shell that is kept open in the container: any Docker, any architecture.
type execSignaller struct {
	mu     sync.Mutex
	conn   client.HijackedResponse
	in     io.Writer
	out    *bufio.Reader
	done   chan struct{} // closed when the reading goroutine has ended
	broken error
}

func newExecSignaller(ctx context.Context, daemon docker, id string) (*execSignaller, error) {
	made, err := daemon.ExecCreate(ctx, id, client.ExecCreateOptions{
		AttachStdin: true, AttachStdout: true, User: "postgres", Cmd: []string{"sh", "-c", execScript},
	})
	if err != nil {
		return nil, fmt.Errorf("signal through exec: %w", err)
	}
	attached, err := daemon.ExecAttach(ctx, made.ID, client.ExecAttachOptions{})
	if err != nil {
		return nil, fmt.Errorf("signal through exec: %w", err)
	}
	read, write := io.Pipe()
	s := &execSignaller{conn: attached.HijackedResponse, in: attached.Conn, out: bufio.NewReader(read), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		write.CloseWithError(copyFrames(write, attached.Reader))
	}()
	if answer, err := s.ask(""); err != nil || answer != "ready" {
		_ = s.close()
		return nil, fmt.Errorf("signal through exec: the shell said %q: %w", answer, err)
	}
	return s, nil
}

// copyFrames takes Docker's framing off a stream without a terminal.
func copyFrames(to io.Writer, from io.Reader) error {
	if _, err := stdcopy.StdCopy(to, to, from); err != nil {
		return err
	}
	return io.EOF
}

func (s *execSignaller) way() string { return "exec" }

func (s *execSignaller) stop(pid int) error { return s.send("STOP", pid) }
func (s *execSignaller) cont(pid int) error { return s.send("CONT", pid) }

func (s *execSignaller) send(signal string, pid int) error {
	answer, err := s.ask(fmt.Sprintf("%s %d\n", signal, pid))
	switch {
	case err != nil:
		return err
	case answer == "ok":
		return nil
	case answer == "gone":
		return ErrNoBackend
	case answer == "busy":
		return errors.New("not in state T long after SIGSTOP")
	}
	return fmt.Errorf("the container's shell answered %q", answer)
}

// ask writes a line and reads one. After a failure question and answer may be out of step, so there is no second one.
func (s *execSignaller) ask(line string) (string, error) {
	const answerMax = 10 * time.Second
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return "", s.broken
	}
	_ = s.conn.Conn.SetDeadline(time.Now().Add(answerMax))
	_, err := io.WriteString(s.in, line)
	var answer string
	if err == nil {
		answer, err = s.out.ReadString('\n')
	}
	if err != nil {
		s.broken = fmt.Errorf("the shell in the container is lost: %w", err)
		return "", s.broken
	}
	return strings.TrimSpace(answer), nil
}

func (s *execSignaller) close() error {
	s.conn.Close() // the shell reads its end of input and ends
	<-s.done
	return nil
}
