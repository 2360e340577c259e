package pg

import "fmt"

// planner reads what the driver writes and makes flushes of it. It belongs to one connection of the driver.
type planner struct {
	texts    func(sql string) *statement
	describe func(parseMessage) (description, bool) // what the server says of a statement, from memory or asked aside
	recall   func(parseMessage) (description, bool) // the same from memory only
	declared map[string]parseMessage                // what the driver believes to be prepared, by name
	portals  map[string]execution
	held     []byte // messages that wait for their Sync
}

// plan reads b, which the flush keeps pointing into. status is the connection's transaction status.
func (p *planner) plan(b []byte, status byte) (*flush, error) {
	if len(p.held) > 0 {
		b = append(p.held, b...)
		p.held = nil
	}
	messages, whole, err := cutMessages(b)
	if err != nil {
		return nil, err
	}
	if !whole {
		p.held = append([]byte(nil), b...)
		return &flush{}, nil
	}
	if messages[0].kind == 'X' {
		return &flush{ends: true}, nil
	}
	if local, ok, err := p.fromMemory(messages, status); ok || err != nil {
		return &flush{local: local}, err
	}
	return p.read(messages)
}

// cutMessages cuts b into messages; whole is false when it does not end with a Sync, a query or a goodbye.
func cutMessages(b []byte) (messages []message, whole bool, err error) {
	last := byte(0)
	for len(b) > 0 {
		m, rest, complete, err := nextMessage(b)
		if err != nil || !complete {
			return nil, false, err
		}
		messages, b, last = append(messages, m), rest, m.kind
	}
	return messages, last == 'S' || last == 'Q' || last == 'X', nil
}

// read makes the flush that goes to the server, whichever session will carry it.
func (p *planner) read(messages []message) (*flush, error) {
	f := &flush{steps: make([]step, len(messages))}
	for i, m := range messages {
		s, err := p.step(m)
		if err != nil {
			return nil, err
		}
		f.steps[i] = s
		if s.executes {
			f.executes = append(f.executes, s.execution)
		}
	}
	if len(f.executes) == 0 {
		p.prepareOnly(f)
	}
	return f, nil
}

func (p *planner) step(m message) (step, error) {
	switch m.kind {
	case 'Q':
		return p.query(m)
	case 'P':
		return p.parse(m)
	case 'B':
		return p.bind(m)
	case 'E':
		return p.execute(m)
	case 'C':
		return p.close(m)
	case 'D', 'S':
		return step{message: m}, nil
	}
	return step{}, &RefusedStatementError{SQL: string(rune(m.kind)), Why: "this protocol message (Flush, FunctionCall, COPY data) is not carried by the gate; " +
		"accepted are queries, Parse, Bind, Describe, Execute, Close and Sync"}
}

func (p *planner) query(m message) (step, error) {
	sql, _, err := cutText(m.body)
	if err != nil {
		return step{}, err
	}
	s := p.texts(sql)
	return step{message: m, executes: true, execution: execution{statement: s}}, s.refusal()
}

func (p *planner) parse(m message) (step, error) {
	parse, err := readParse(m.body)
	if err != nil {
		return step{}, err
	}
	p.declared[parse.name] = parse
	return step{message: m, prepared: parse}, p.texts(parse.sql).refusal()
}

func (p *planner) bind(m message) (step, error) {
	b, err := readBind(m.body)
	if err != nil {
		return step{}, err
	}
	want, known := p.declared[b.statement]
	e := execution{statement: p.texts(want.sql), digest: b.digest, binary: b.binary(0)}
	if described, ok := p.recall(want); ok {
		e.column = described.column
	}
	p.portals[b.portal] = e
	return step{message: m, prepared: want, wanted: known}, nil
}

func (p *planner) execute(m message) (step, error) {
	portal, _, err := cutText(m.body)
	if err != nil {
		return step{}, err
	}
	e, ok := p.portals[portal]
	if !ok {
		return step{}, fmt.Errorf("protocol: Execute of portal %q without its Bind", portal)
	}
	return step{message: m, executes: true, execution: e}, nil
}

func (p *planner) close(m message) (step, error) {
	if len(m.body) == 0 {
		return step{}, fmt.Errorf("protocol: Close without a kind")
	}
	if m.body[0] != 'S' {
		return step{message: m}, nil
	}
	name, _, err := cutText(m.body[1:])
	delete(p.declared, name)
	return step{message: m, prepared: parseMessage{name: name}}, err
}

// prepareOnly: a Prepare that memory can't answer. It is a move, named by what it prepares.
func (p *planner) prepareOnly(f *flush) {
	f.prepares = true
	for _, s := range f.steps {
		if s.kind == 'P' {
			f.executes = append(f.executes, execution{statement: p.texts(s.prepared.sql)})
		}
	}
	if len(f.executes) == 0 { // a Describe or Close of what is not there
		f.executes = []execution{{statement: p.texts("")}}
	}
}
