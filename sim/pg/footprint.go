package pg

import (
	"context"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// A footprint comes from the text and the catalogue alone, and for an end of a transaction from the texts of that
// transaction: so a statement has the same one in whichever order tasks move. It may name more than is touched, never
// less; CheckFootprints holds it against the server's own locks. Statements that change the catalogue touch everything.

// transaction is what a connection knows of the transaction that it has open.
type transaction struct {
	touch   touch // of all its statements
	defines bool  // one of them changed the catalogue
	frozen  bool  // it may keep one snapshot for all its statements
	snapped bool  // that snapshot has been taken for certain
}

// touchOf is what a statement touches, found once a text and a catalogue.
func (s *Sessions) touchOf(st *statement) *touch {
	s.mu.Lock()
	known := s.touches[st]
	s.mu.Unlock()
	if known != nil {
		return known
	}
	s.watch.Lock()
	l, err := s.look(context.Background())
	s.watch.Unlock()
	if err != nil { // a table without primary key, most likely; who dumps it will say so
		return &touch{all: true}
	}
	t := l.catalogue.touchOf(st.names)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.touches[st] = t
	return t
}

// untouch forgets what statements touch: the catalogue changed.
func (s *Sessions) untouch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.touches)
}

// foot is the footprint of a flush that is about to go, and takes it into the books of the open transaction.
func (c *conn) foot(f *flush) sim.Footprint {
	open := c.status != 'I'
	if !open {
		c.tx = transaction{}
	}
	var out sim.Footprint
	for _, e := range f.executes {
		out = out.With(c.enter(e.statement))
		switch {
		case e.begins:
			open = true
		case e.commits || e.aborts:
			out = out.With(c.tx.touch.end())
			open = false
		}
	}
	if !open && !f.commits() && !f.aborts() { // it commits by itself
		out = out.With(c.tx.touch.end())
	}
	return out
}

// enter is the footprint of one statement of the transaction.
func (c *conn) enter(st *statement) sim.Footprint {
	if st.begins || st.commits || st.aborts || st.empty {
		c.tx.frozen = c.tx.frozen || st.isolates
		return sim.Footprint{}
	}
	if st.isolates {
		c.tx.frozen = true
		c.frozen = c.frozen || st.keeps
	}
	t := c.sessions.touchOf(st)
	out := t.now()
	if st.resumes {
		out = out.With(c.tx.touch.now())
	}
	if (c.frozen || c.tx.frozen) && !c.tx.snapped {
		out = out.With(sim.Footprint{Writes: []string{thingSnapshots}})
		c.tx.snapped = st.snaps
	}
	if (c.frozen || c.tx.frozen) && c.sessions.options.Serializable {
		serial := touch{writes: set{thingSerializable: {}}}
		out = out.With(serial.now())
		c.tx.touch.join(&serial)
	}
	c.tx.touch.join(t)
	c.tx.defines = c.tx.defines || st.defines
	return out
}

// freezes says that transactions of this start-up may keep their snapshots without a word of theirs.
func (s *Sessions) freezes(start startup) bool {
	if strings.Contains(start.settings, "transaction_isolation") {
		return true
	}
	s.watch.Lock()
	defer s.watch.Unlock()
	l, err := s.look(context.Background())
	return err != nil || l.catalogue.freezes
}
