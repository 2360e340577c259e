package engine

import (
	"errors"
	"fmt"
	"time"
)

// Fence is what grows with every claim and guards every write of that claim.
type Fence struct {
	Incarnation int32 // which existence of the database
	Number      int64 // grows with each claim of the record
}

// String prints incarnation.number.
func (f Fence) String() string { return fmt.Sprintf("%d.%d", f.Incarnation, f.Number) }

// Claim is the right to write one record. Every such write takes it and answers ErrLeaseLost for "no row".
type Claim struct {
	Record Key
	Fence  Fence
	Until  time.Time     // the database's, read back
	StopAt time.Duration // Runtime.Mono: the worker stops itself here, before the lease can have ended
}

// ErrLeaseLost answers a write whose fence is no longer the record's, and a read-back of a record that others wrote since:
// what became of the write nobody can tell from it. Duty: stop, touch nothing more.
var ErrLeaseLost = errors.New("the lease is lost")
