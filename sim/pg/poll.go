package pg

import (
	"errors"
	"os"
	"time"
)

// errWaits: where backends do not tell that they wait, polling found that this one does.
var errWaits = errors.New("the backend waits for a lock")

// pollPause is how long an answer may take before we ask whether its backend waits for a lock.
const pollPause = 2 * time.Millisecond

// receive reads the next message of the backend. Without stop mode (a given server where we are no superuser) the backend
// does not tell that it waits, so it is asked after a while of silence; such runs do not replay, and nobody says they do.
func (s *Sessions) receive(x *session) (message, error) {
	if s.server.CanStop() {
		return x.next()
	}
	w := x.wire.(*polledWire)
	defer func(whole time.Duration) { w.patience = whole }(w.patience)
	w.patience = pollPause
	for end := time.Now().Add(s.options.Patience); ; {
		m, err := x.next()
		if !errors.Is(err, os.ErrDeadlineExceeded) || time.Now().After(end) {
			return m, err
		}
		waits, err := s.lockWait(x)
		if err != nil {
			return message{}, s.broken(err)
		}
		if waits {
			return message{}, errWaits
		}
	}
}
