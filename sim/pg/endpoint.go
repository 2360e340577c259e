package pg

import (
	"context"
	"fmt"
	"net"
	"time"
)

// endpoint is one place where a server may be dialed.
type endpoint struct{ network, address string }

// login is how pgx spells it.
func (e endpoint) login(password string) loginParts {
	if e.network == "unix" {
		return loginParts{host: socketDir(e.address), port: socketPort, user: superuser, password: password}
	}
	host, port, _ := net.SplitHostPort(e.address)
	return loginParts{host: host, port: port, user: superuser, password: password}
}

// awaitAnswer waits until a server accepts sessions of its superuser, and returns the first of the endpoints, in the order
// of preference, where it does. gone ends the wait early.
func awaitAnswer(ctx context.Context, endpoints []endpoint, gone <-chan struct{}) (endpoint, error) {
	const pause = 2 * time.Millisecond
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return endpoint{}, fmt.Errorf("no answer at %v: %w", endpoints, ctx.Err())
		case <-gone:
			return endpoint{}, fmt.Errorf("the server ended before it answered at %v", endpoints)
		case <-timer.C:
			if _, ok := firstToAnswer(ctx, endpoints); ok {
				// Once more from the start: a preferred one may have been asked a moment too early.
				if best, ok := firstToAnswer(ctx, endpoints); ok {
					return best, nil
				}
			}
			timer.Reset(pause)
		}
	}
}

func firstToAnswer(ctx context.Context, endpoints []endpoint) (endpoint, bool) {
	for _, e := range endpoints {
		if e.answers(ctx) {
			return e, true
		}
	}
	return endpoint{}, false
}

// answers sends a start-up packet and looks at the first byte: R (authentication) comes only from a server that is up,
// one still starting says E.
func (e endpoint) answers(ctx context.Context) bool {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, e.network, e.address)
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	body := "\x00\x03\x00\x00user\x00" + superuser + "\x00database\x00" + superuser + "\x00\x00"
	if _, err := conn.Write(append([]byte{0, 0, 0, byte(len(body) + 4)}, body...)); err != nil {
		return false
	}
	first := make([]byte, 1)
	_, err = conn.Read(first)
	return err == nil && first[0] == 'R'
}
