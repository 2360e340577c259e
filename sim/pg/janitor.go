package pg

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// janitor is the session that brings the database back between runs. It sends several simple queries at once and reads all
// their answers then: the way there and back costs more than most of them. Its commits need not be on disk: what it does
// is done again by the next reset.

// cleaner is the janitor's session, opened where there is none. Needs watch.
func (s *Sessions) cleaner(ctx context.Context) (*session, error) {
	if s.janitor != nil {
		return s.janitor, nil
	}
	settings := strings.Join([]string{"application_name", "recondrill janitor", "client_min_messages", "warning", "synchronous_commit", "off"}, "\x00")
	start := startup{user: s.pool.ConnConfig.User, database: s.database, settings: settings}
	x, err := openSession(ctx, s.server.ConnString(s.database), start, s.options.Patience, false)
	if err != nil {
		return nil, fmt.Errorf("janitor: %w", err)
	}
	s.janitor = x
	return x, nil
}

// tidy carries out each text in a transaction of its own, all in one round trip. After an error the janitor is given up.
// Needs watch.
func (s *Sessions) tidy(ctx context.Context, texts []string) error {
	x, err := s.cleaner(ctx)
	if err != nil {
		return err
	}
	if _, err = x.queries(texts); err != nil {
		x.close()
		s.janitor = nil
	}
	return err
}

// queries sends simple queries at once and answers the first columns of all their rows, as text. All answers are read also
// when one is an error; the first error comes back.
func (s *session) queries(texts []string) (values []string, err error) {
	var wire []byte
	for _, text := range texts {
		wire = appendQuery(wire, text)
	}
	if err := s.send(wire); err != nil {
		return nil, err
	}
	for expect := len(texts); expect > 0; {
		m, readErr := s.next()
		if readErr != nil {
			return nil, errors.Join(err, readErr)
		}
		switch m.kind {
		case 'D':
			value, _ := firstColumn(m.body)
			values = append(values, string(value))
		case 'E':
			if err == nil {
				err = fmt.Errorf("%s %s", readField(m.body, 'C'), readField(m.body, 'M'))
			}
		case 'Z':
			s.status = m.body[0]
			expect--
		}
	}
	s.flushed = true
	return values, err
}

// sizedQuery answers the relations that have something on disk, of those given by oid.
func sizedQuery(tables []tableLayout) string {
	oids := make([]string, len(tables))
	for i, t := range tables {
		oids[i] = strconv.FormatUint(uint64(t.oid), 10)
	}
	return "select o from unnest('{" + strings.Join(oids, ",") + "}'::oid[]) as o where pg_relation_size(o) > 0"
}
