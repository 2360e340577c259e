//go:build !linux

package pg

import (
	"net"
	"time"
)

func block(c net.Conn, patience time.Duration) (wire, error) { return &polledWire{c, patience}, nil }
