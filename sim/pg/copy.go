package pg

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/recondrill/recondrill/sim"
)

// COPY … FROM STDIN is one move although the driver writes it in pieces: the gate is at its query, the server's readiness for
// data goes back at once, and what the driver writes then is kept until it is whole and sent together. COPY (SELECT …) TO
// STDOUT is a query like another one.

// copying says which COPY a statement is: from the client, to the client, or none that is carried.
func copying(tokens []token) (in, out bool) {
	at := func(i int) token {
		if i < len(tokens) {
			return tokens[i]
		}
		return token{kind: sign}
	}
	i := 1
	query := at(1).sign("(")
	if !query {
		for i++; at(i).sign("."); i += 2 { // past the name
		}
	}
	if at(i).sign("(") {
		depth := 0
		for ; i < len(tokens); i++ {
			if at(i).sign("(") {
				depth++
			}
			if at(i).sign(")") {
				if depth--; depth == 0 {
					break
				}
			}
		}
		i++
	}
	return !query && at(i).is("from") && at(i+1).is("stdin"), query && at(i).is("to") && at(i+1).is("stdout")
}

func refuseCopy(tokens []token) string {
	if in, out := copying(tokens); in || out {
		return ""
	}
	return "this COPY is not carried by the gate: files and programs are the server's own, and a table has no order; " +
		"accepted are COPY … FROM STDIN and COPY (SELECT … ORDER BY …) TO STDOUT"
}

// copyIn is a COPY whose data is still to come.
type copyIn struct {
	x      *exchange
	ctx    context.Context
	chosen sim.Value // what breaks afterwards
	data   []byte
	read   int // of data: up to here its messages have been looked at
}

// copyMessage says that the driver writes for a COPY.
func copyMessage(kind byte) bool { return kind == 'd' || kind == 'c' || kind == 'f' }

// takeCopy keeps a piece of the data, and carries the COPY out when that was the last one. Where no COPY waits for it (it
// failed at once, and the driver has not read so yet) it is dropped, as the server does.
func (c *conn) takeCopy(b []byte) error {
	in := c.copyIn
	if in == nil {
		return nil
	}
	in.data = append(in.data, b...)
	for {
		m, _, whole, err := nextMessage(in.data[in.read:])
		if err != nil || !whole {
			return err
		}
		in.read += len(m.raw)
		if m.kind == 'c' || m.kind == 'f' {
			break
		}
	}
	c.copyIn = nil
	x := in.x
	x.answer.digest = sha256.New()
	x.answer.digest.Write(in.data)
	x.copies = false
	x.s.recordFlush(x.on, &flush{}, slices.Clone(in.data), 1)
	err := x.on.send(in.data)
	if err != nil {
		err = errGone
	} else {
		err = x.read(in.ctx)
	}
	c.finish(in.ctx, x, in.chosen, err)
	return nil
}
