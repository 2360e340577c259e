package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/node"
	"github.com/recondrill/recondrill/engine/postgres"
)

// wire is a process's way to the server that can lose a COMMIT: the client sees a broken connection, the bytes land
// when they are let go.
type wire struct {
	mu     sync.Mutex
	armed  int           // so many COMMITs are to be lost
	land   chan struct{} // closed: the lost ones may land
	landed chan struct{} // a COMMIT has been answered by the server, or its connection ended
	drop   bool          // a lost COMMIT never lands: the connection ends without it
	what   string        // text of what is lost instead of a COMMIT
}

// cut is a process on the real runtime whose connections go through a wire.
func cut(t *testing.T, s *enginetest.Stage, o postgres.Options) (*wire, *postgres.DB) {
	t.Helper()
	w := &wire{land: make(chan struct{}), landed: make(chan struct{}, 8)}
	cfg, err := pgxpool.ParseConfig(running.ConnString(s.Text("select current_database()")))
	require.NoError(t, err)
	cfg.MaxConns = 4
	cfg.ConnConfig.RuntimeParams["role"] = "recon_engine"
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		return &cutConn{Conn: c, wire: w}, err
	}
	o.Member = "cut"
	db, err := postgres.Open(s.Ctx, node.NewRuntime(), cfg, o)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return w, db
}

// lose arms the wire for the next COMMITs.
func (w *wire) lose(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = n
}

func (w *wire) takes(b []byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	what := "commit"
	if w.what != "" {
		what = w.what
	}
	if w.armed == 0 || !bytes.Contains(b, []byte(what)) {
		return false
	}
	w.armed--
	return true
}

type cutConn struct {
	net.Conn
	wire *wire
	lost bool
}

var errCut = errors.New("the wire is cut")

func (c *cutConn) Write(b []byte) (int, error) {
	if c.lost {
		return 0, errCut
	}
	if !c.wire.takes(b) {
		return c.Conn.Write(b)
	}
	c.lost = true
	bytes := bytes.Clone(b)
	land := func() {
		if !c.wire.drop {
			_, _ = c.Conn.Write(bytes)
			_, _ = c.Conn.Read(make([]byte, 1024))
		}
		_ = c.Conn.Close()
		c.wire.landed <- struct{}{}
	}
	select {
	case <-c.wire.land: // only the answer is lost
		land()
	default:
		go func() {
			<-c.wire.land
			land()
		}()
	}
	return 0, errCut
}

func (c *cutConn) Read(b []byte) (int, error) {
	if c.lost {
		return 0, errCut
	}
	return c.Conn.Read(b)
}

// Close keeps a lost connection open for its COMMIT: the server does not notice that its client is gone.
func (c *cutConn) Close() error {
	if c.lost {
		return nil
	}
	return c.Conn.Close()
}

func (c *cutConn) SetDeadline(t time.Time) error {
	if c.lost {
		return nil
	}
	return c.Conn.SetDeadline(t)
}

// waits tells how many sessions of the database wait for a lock, when it is at least n.
func waits(t *testing.T, s *enginetest.Stage, n string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return s.Text("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") >= n
	}, 10*time.Second, 5*time.Millisecond)
}
