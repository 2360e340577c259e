package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"
	"time"
)

// Entry is one line of the history. What is a gate's kind when a task moved on from it, or one of: killed ended
// restarted stalled suspended resumed stepped cut late blocked granted deadline landed tick outcome deviation healed.
type Entry struct {
	At        time.Duration // virtual, since the epoch
	Actor     Actor
	What      string
	Label     string
	Nth       int // 0: the line is not about a place
	Text      string
	Keys      []string // first column of up to 16 returned rows of a statement, as text
	Rows      int
	Outcome   string // what came of a move, without times: tags, a count of rows, the code of an error; for the fingerprint, not in the line
	Deviation *Deviation
}

// History is all that happened in one run, hashed line by line while it grows. It belongs to the run and goes with it.
type History struct {
	Entries []Entry
	Used    []Deviation // the deviations that were carried out, in the order in which they were met
	Moves   []Move      // every move in order, where Config.Moves asks for them
	sum     hash.Hash
	line    []byte
	now     func() time.Duration
	mute    bool // the run is over: what its tasks still say is not history
}

func newHistory(now func() time.Duration) *History {
	return &History{sum: sha256.New(), now: now}
}

// add stamps and hashes an entry.
func (h *History) add(e Entry) {
	if h.mute {
		return
	}
	e.At = h.now()
	h.line = e.append(h.line[:0])
	h.line = append(h.line, '\n')
	h.sum.Write(h.line)
	h.Entries = append(h.Entries, e)
}

// Mark adds a line of the actor of the world with this name: a tick, an operator's act, the hash of the final tables.
func (h *History) Mark(actor, what, text string) {
	h.add(Entry{Actor: Bare(actor), What: what, Text: text})
}

// Hash is the running SHA-256 of every line, 32 hex digits of it.
func (h *History) Hash() string { return hex.EncodeToString(h.sum.Sum(nil)[:16]) }

// Lines prints every entry as it was hashed.
func (h *History) Lines() []string {
	out := make([]string, len(h.Entries))
	for i, e := range h.Entries {
		out[i] = e.String()
	}
	return out
}

// String is the line of an entry: seconds, actor, place, what, text, keys, deviation.
func (e Entry) String() string { return string(e.append(nil)) }

func (e *Entry) append(b []byte) []byte {
	b = appendSeconds(b, e.At)
	b = append(b, ' ')
	b = e.Actor.append(b)
	if e.Nth > 0 {
		b = append(b, ' ')
		b = Address{Label: e.Label, Nth: e.Nth}.appendPlace(b)
	} else if e.Label != "" {
		b = append(append(b, ' '), e.Label...)
	}
	b = append(append(b, ' '), e.What...)
	if e.Text != "" {
		b = append(append(b, ": "...), oneLine(e.Text)...)
	}
	if e.Rows != 0 || len(e.Keys) != 0 {
		b = append(b, " rows="...)
		b = strconv.AppendInt(b, int64(e.Rows), 10)
		b = append(append(b, " keys="...), oneLine(strings.Join(e.Keys, ","))...)
	}
	if d := e.Deviation; d != nil {
		b = append(append(append(append(b, ' '), d.Class.String()...), ' '), d.Value.String()...)
	}
	return b
}

func oneLine(s string) string {
	if strings.IndexByte(s, '\n') < 0 {
		return s
	}
	return strings.ReplaceAll(s, "\n", `\n`)
}

// appendSeconds writes a time in seconds with six decimals, which is all the precision there is.
func appendSeconds(b []byte, d time.Duration) []byte {
	us := d.Microseconds()
	b = strconv.AppendInt(b, us/1e6, 10)
	b = append(b, '.')
	for unit := int64(1e5); unit > 0; unit /= 10 {
		b = append(b, byte('0'+us/unit%10))
	}
	return b
}
