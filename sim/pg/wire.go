package pg

import (
	"io"
	"net"
	"time"
)

// wire is a connection to the server whose reads and writes are bounded by the patience. It knows no deadlines besides.
type wire interface {
	io.ReadWriteCloser
}

// polledWire is a connection of the runtime's poller.
type polledWire struct {
	net.Conn
	patience time.Duration
}

func (w *polledWire) Read(p []byte) (int, error) {
	_ = w.SetReadDeadline(time.Now().Add(w.patience))
	return w.Conn.Read(p)
}

func (w *polledWire) Write(p []byte) (int, error) {
	_ = w.SetWriteDeadline(time.Now().Add(w.patience))
	return w.Conn.Write(p)
}
