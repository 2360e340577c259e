package pg

import (
	"context"
	"fmt"
)

// A Prepare tells the server nothing that a transaction could see, but it takes locks, fixes a snapshot and can wait. So it
// is no move of its own: the gate answers it from memory, and the real Parse goes out together with the first Execute of
// the statement on that backend, which is the move. What memory has not got yet is asked on a session aside.
//
// The driver names a statement by a digest of its text, so a name means the same on every session; where it does not (a
// name given by hand), the gate closes the old one first.

// description is what the server said about a prepared statement.
type description struct {
	bytes  []byte // ParameterDescription and RowDescription, or NoData
	column uint32 // type of the first column, 0 without result
}

// descriptionKey is what a description depends on. The start-up matters: role and search_path decide what a name means.
type descriptionKey struct {
	start      startup
	sql, types string
}

// fromMemory answers a flush that only prepares, describes and closes statements. ok is false when the server must be
// asked: because the flush does more, the transaction has failed, or the statement does not parse.
func (p *planner) fromMemory(messages []message, status byte) (answer []byte, ok bool, err error) {
	if status == 'E' || !p.onlyPrepares(messages) {
		return nil, false, nil
	}
	declared := map[string]*parseMessage{}
	find := func(name string) (parseMessage, bool) {
		if d, ok := declared[name]; ok {
			if d == nil {
				return parseMessage{}, false
			}
			return *d, true
		}
		d, ok := p.declared[name]
		return d, ok
	}
	for _, m := range messages {
		switch m.kind {
		case 'P':
			parse, err := readParse(m.body)
			if err != nil {
				return nil, false, err
			}
			if err := p.texts(parse.sql).refusal(); err != nil {
				return nil, false, err
			}
			if _, ok := p.describe(parse); !ok {
				return nil, false, nil
			}
			declared[parse.name] = &parse
			answer = appendMessage(answer, '1')
		case 'D', 'C':
			name, _, err := cutText(m.body[1:])
			if err != nil {
				return nil, false, err
			}
			if m.kind == 'C' {
				declared[name] = nil
				answer = appendMessage(answer, '3')
				continue
			}
			parse, known := find(name)
			if !known {
				return nil, false, nil
			}
			d, known := p.describe(parse)
			if !known {
				return nil, false, nil
			}
			answer = append(answer, d.bytes...)
		case 'S':
			answer = appendReady(answer, status)
		case 'Q':
			answer = appendReady(appendMessage(answer, 'I'), status)
		}
	}
	for name, parse := range declared { // the order does not show: names are distinct
		if parse == nil {
			delete(p.declared, name)
		} else {
			p.declared[name] = *parse
		}
	}
	return answer, true, nil
}

// onlyPrepares: Parse, and Describe and Close of statements (not of portals), and queries that are empty (a ping).
func (p *planner) onlyPrepares(messages []message) bool {
	for _, m := range messages {
		switch m.kind {
		case 'P', 'S':
		case 'D', 'C':
			if len(m.body) < 2 || m.body[0] != 'S' {
				return false
			}
		case 'Q':
			sql, _, err := cutText(m.body)
			if err != nil || !p.texts(sql).empty {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// describe finds out what the server says about a statement, from memory or on a session aside that no transaction of the
// run can make wait: it only parses. ok is false when it does not parse, which is never remembered.
func (s *Sessions) describe(start startup, p parseMessage) (description, bool) {
	d, ok := s.recall(start, p)
	if ok {
		return d, true
	}
	aside, err := s.take(context.Background(), start)
	if err != nil {
		return description{}, false
	}
	d, ok, err = aside.describe(p)
	s.release(aside)
	if err != nil {
		return description{}, false
	}
	if ok {
		s.mu.Lock()
		s.descriptions[descriptionKey{start, p.sql, p.types}] = d
		s.mu.Unlock()
	}
	return d, ok
}

func (s *Sessions) recall(start startup, p parseMessage) (description, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.descriptions[descriptionKey{start, p.sql, p.types}]
	return d, ok
}

// describe parses p on an idle session, under no name.
func (s *session) describe(p parseMessage) (d description, ok bool, err error) {
	p.name = ""
	delete(s.prepared, "")
	if err := s.send(appendSync(appendDescribeStatement(appendParse(nil, p), ""))); err != nil {
		return d, false, err
	}
	ok = true
	for {
		m, err := s.next()
		if err != nil {
			return d, false, err
		}
		switch m.kind {
		case 't', 'T', 'n':
			d.bytes = append(d.bytes, m.raw...)
			if m.kind == 'T' {
				d.column = firstColumnType(m.body)
			}
		case 'E':
			ok = false
		case 'Z':
			if s.status = m.body[0]; s.status != 'I' {
				return d, false, fmt.Errorf("a session aside is in a transaction (%q)", s.status)
			}
			s.flushed = true
			return d, ok, nil
		}
	}
}

// forget drops what is remembered of statements: something changed the catalogue.
func (s *Sessions) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.descriptions)
}
