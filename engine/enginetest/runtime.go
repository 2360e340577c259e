package enginetest

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/node"
)

// Runtime is the production one, but its monotonic clock stands still until Advance, its sleeps are over at once, and
// its deadlines never come by themselves.
type Runtime struct {
	engine.Runtime
	process uint64 // unique on its stage
	ids     atomic.Uint64
	mono    atomic.Int64
}

// NewRuntime makes that of one process of a stage.
func NewRuntime(process uint64) *Runtime {
	return &Runtime{Runtime: node.NewRuntime(), process: process}
}

// Advance moves the monotonic clock.
func (r *Runtime) Advance(d time.Duration) { r.mono.Add(int64(d)) }

// Now is Morning plus Mono.
func (r *Runtime) Now() time.Time { return Morning.Add(r.Mono()) }

// Mono is what Advance made it.
func (r *Runtime) Mono() time.Duration { return time.Duration(r.mono.Load()) }

// ID is unique on a stage.
func (r *Runtime) ID() (id [16]byte) {
	binary.BigEndian.PutUint64(id[:8], r.process)
	binary.BigEndian.PutUint64(id[8:], r.ids.Add(1))
	return id
}

// Sleep is over at once.
func (r *Runtime) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// WithTimeout knows no timer.
func (r *Runtime) WithTimeout(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
	return r.Runtime.WithCancel(ctx)
}
