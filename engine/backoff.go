package engine

import (
	"hash/fnv"
	"time"
)

// Backoff is the wait before the next attempt: doubling from Min to Max, less up to half of it by jitter, so that
// records that failed together do not come back together.
type Backoff struct {
	Min, Max time.Duration
}

// Delay is the wait after attempt failures (0 is the first). Jitter is in 1/65536 and comes from the caller (see
// Jitter): for one jitter the delay never shrinks with attempt, for jitter 0 it reaches Max, and it is always in
// (0, Max]. Bounds that make no sense (not positive, Max below Min) are raised to ones that do.
func (b Backoff) Delay(attempt int, jitter uint16) time.Duration {
	low := max(b.Min, 1)
	high := max(b.Max, low)
	full := low
	for range attempt {
		if full > high/2 { // doubling could pass high, and past it an int64
			full = high
			break
		}
		full *= 2
	}
	half := int64(full / 2)
	// half*jitter/65536 without the product, which may not fit
	cut := half/65536*int64(jitter) + half%65536*int64(jitter)/65536
	return full - time.Duration(cut)
}

// Jitter spreads records by their key and attempt: no chance, so a replay waits the same.
func Jitter(key Key, attempt int) uint16 {
	h := fnv.New32a()
	h.Write([]byte(key))
	for n := uint64(attempt); ; n >>= 8 {
		h.Write([]byte{byte(n)})
		if n < 256 {
			break
		}
	}
	sum := h.Sum32()
	return uint16(sum>>16) ^ uint16(sum)
}
