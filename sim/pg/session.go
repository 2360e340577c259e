package pg

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// session is one real backend of the server. It outlives connections and processes, and connections share it: one that is
// outside of a transaction and has left nothing in the session gives it back until its next statement. So what a backend
// knows (plans, catalogue) is made once a run and not once a connection.
// A session has one user at a time (a conn, a late task, or the idle ones), who may use it without a lock.
type session struct {
	start    startup
	wire     wire
	pid      int
	secret   []byte
	hello    []byte                  // what a client reads after its start-up message, but for pid and key
	status   byte                    // I, T or E, as the last ReadyForQuery said
	prepared map[string]parseMessage // what this backend really has prepared, by name
	clock    int64                   // its recon.sim_now in µs; clockUnknown when it may be anything
	blocked  bool                    // it waits for a lock and is stopped
	waits    *exchange               // the flush that waits then
	soiled   bool                    // a statement left something in it that outlives a transaction
	flushed  bool                    // the answer to its last flush, or to the part that is out, has been read whole
	ended    bool                    // the server ended it
	timeline int                     // what it was told of the server's timeline; 0: nothing
	readOnly bool                    // what it was told of its next transactions
	profile  string                  // how it was told to plan; "": as at its start
	held     bool                    // a part of a flush is out, its Sync is not

	in []byte // bytes read from the server, from `at` on not yet looked at
	at int
}

const clockUnknown = -1

// startup is what a client says first: who it is and its settings. Sessions are shared among equal ones.
type startup struct{ user, database, settings string }

// readStartup sorts the settings: the driver sends them in the order of a map.
func readStartup(b []byte) (startup, error) {
	if len(b) < 8 || int(binary.BigEndian.Uint32(b)) != len(b) {
		return startup{}, fmt.Errorf("start-up message of %d bytes is not whole", len(b))
	}
	if version := binary.BigEndian.Uint32(b[4:]); version>>16 != 3 {
		return startup{}, fmt.Errorf("start-up message: protocol %d.%d; accepted is 3.x without TLS", version>>16, version&0xffff)
	}
	var s startup
	var settings []string
	for b = b[8:]; len(b) > 1; {
		name, rest, err := cutText(b)
		if err != nil {
			return startup{}, err
		}
		value, rest, err := cutText(rest)
		if err != nil {
			return startup{}, err
		}
		switch b = rest; name {
		case "user":
			s.user = value
		case "database":
			s.database = value
		default:
			settings = append(settings, name+"\x00"+value)
		}
	}
	sort.Strings(settings)
	s.settings = strings.Join(settings, "\x00")
	return s, nil
}

// parameters is the inverse of what readStartup made of the settings.
func (s startup) parameters() map[string]string {
	out := map[string]string{}
	parts := strings.Split(s.settings, "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		out[parts[i]] = parts[i+1]
	}
	return out
}

// openSession dials the server for real. The driver does the authentication, so any server that it can reach will do.
// polled: the wire must know deadlines, for asking whether the backend waits.
func openSession(ctx context.Context, connString string, start startup, patience time.Duration, polled bool) (*session, error) {
	config, err := pgconn.ParseConfig(connString)
	if err != nil {
		return nil, err
	}
	config.RuntimeParams = start.parameters()
	config.User = start.user
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open a session of %s on %s: %w", start.user, start.database, err)
	}
	hijacked, err := conn.Hijack()
	if err != nil {
		return nil, fmt.Errorf("open a session of %s on %s: %w", start.user, start.database, err)
	}
	var w wire = &polledWire{hijacked.Conn, patience}
	if !polled {
		if w, err = block(hijacked.Conn, patience); err != nil {
			return nil, err
		}
	}
	return &session{
		start: start, wire: w, pid: int(hijacked.PID), secret: hijacked.SecretKey,
		hello:  appendHello(nil, hijacked.ParameterStatuses),
		status: hijacked.TxStatus, prepared: map[string]parseMessage{}, clock: clockUnknown, flushed: true,
	}, nil
}

// appendHello is AuthenticationOk and the parameters in the order of their names.
func appendHello(dst []byte, parameters map[string]string) []byte {
	dst = appendMessage(dst, 'R', "\x00\x00\x00\x00")
	names := make([]string, 0, len(parameters))
	for name := range parameters {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		dst = appendMessage(dst, 'S', name, "\x00", parameters[name], "\x00")
	}
	return dst
}

// appendHelloEnd makes the greeting whole. The pid is made up: the real one differs from run to run, and nobody but the
// harness may cancel or signal a backend.
func appendHelloEnd(dst []byte, ordinal int) []byte {
	pid := binary.BigEndian.AppendUint32(nil, uint32(ordinal))
	dst = appendMessage(dst, 'K', string(pid), "\x00\x00\x00\x00")
	return appendReady(dst, 'I')
}

// send writes to the backend. Until all of the answer is read, the session is no use to anybody else.
func (s *session) send(b []byte) error {
	s.flushed = false
	_, err := s.wire.Write(b)
	return err
}

// next reads one message of the backend. Its bytes are valid until the following call.
func (s *session) next() (message, error) {
	for {
		m, _, whole, err := nextMessage(s.in[s.at:])
		if err != nil {
			return message{}, err
		}
		if whole {
			s.at += len(m.raw)
			return m, nil
		}
		if err := s.fill(); err != nil {
			return message{}, err
		}
	}
}

func (s *session) fill() error {
	if s.at > 0 {
		s.in = s.in[:copy(s.in, s.in[s.at:])]
		s.at = 0
	}
	s.in = slices.Grow(s.in, 4096)
	n, err := s.wire.Read(s.in[len(s.in):cap(s.in)])
	s.in = s.in[:len(s.in)+n]
	if n > 0 {
		return nil
	}
	return err
}

// cleaning makes a session as good as new but for its prepared statements. RESET ALL leaves the role, which belongs to
// the start-up; RESET ROLE undoes a SET ROLE.
const cleaning = "CLOSE ALL; RESET ALL; RESET ROLE; UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD SEQUENCES; DISCARD TEMP"

// cleaningBytes is what clean sends, and how many answers come.
func (s *session) cleaningBytes() (wire []byte, ready int) {
	if s.status != 'I' || s.held { // before the Sync, ROLLBACK undoes a statement that would have committed by itself
		wire, ready = appendQuery(wire, "ROLLBACK"), 1
	}
	if s.soiled {
		wire, ready = appendQuery(wire, cleaning), ready+1
	}
	return wire, ready
}

// clean carries out "the server notices that its client is gone", at once: when it returns nil, the transaction is rolled
// back, all locks are released, and nothing of the client is left.
func (s *session) clean() error {
	if err := s.command(s.cleaningBytes()); err != nil {
		return fmt.Errorf("clean the session: %w", err)
	}
	if s.status != 'I' {
		return fmt.Errorf("clean the session: its transaction status is %q afterwards", s.status)
	}
	if s.soiled { // RESET ALL
		s.timeline, s.readOnly, s.profile = 0, false, ""
	}
	s.soiled, s.held = false, false
	return nil
}

// command sends the harness's own statements and reads past the answers.
func (s *session) command(wire []byte, expect int) error {
	if expect == 0 {
		return nil
	}
	if err := s.send(wire); err != nil {
		return err
	}
	return s.await(expect)
}

// await reads past the answers to the harness's own statements.
func (s *session) await(expect int) error {
	s.clock = clockUnknown
	delete(s.prepared, "")
	for expect > 0 {
		m, err := s.next()
		if err != nil {
			return err
		}
		switch m.kind {
		case 'Z':
			s.status = m.body[0]
			expect--
		case 'E':
			return fmt.Errorf("%s %s", readField(m.body, 'C'), readField(m.body, 'M'))
		}
	}
	s.flushed = true
	return nil
}

func (s *session) close() { _ = s.wire.Close() }
