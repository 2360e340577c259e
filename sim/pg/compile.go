package pg

// compiled is a flush made ready for one session: what that backend has not prepared yet is put before its first use.
type compiled struct {
	wire   []byte
	groups []*group // one for each ReadyForQuery that will come back

	// where the flush is sent in two parts: how long the first one is, and how many messages in it are answered. 0: in one
	first, answers int
}

// group is the part of a flush up to a Sync, or a simple query.
type group struct {
	silent   bool // the harness's own: nothing of its answer reaches the driver
	simple   bool // the driver sent a simple query, and expects its answer
	parses   []parsed
	closes   []closed
	executes []execution
}

type parsed struct {
	parseMessage
	silent bool // put in by the gate: its ParseComplete is stripped
}

type closed struct {
	name   string
	silent bool
}

// compiler keeps, while a flush is compiled, what the backend will have prepared by then.
type compiler struct {
	compiled
	g       *group
	on      *session
	planned map[string]parseMessage // where this flush changes it
	asked   int                     // messages so far that are answered one by one
}

// compile makes a flush ready, to be sent in two parts where it is split.
func (f *flush) compile(on *session, at split) compiled {
	c := &compiler{g: &group{}, on: on}
	steps := f.steps
	if at != unsplit && steps[0].kind == 'Q' {
		steps = f.extended()
		c.g.simple = true
	}
	for i := range steps {
		s := &steps[i]
		if c.first == 0 && (at == beforeSync && s.kind == 'S' || at == beforeExecute && s.kind == 'E') {
			c.first, c.answers = len(c.wire), c.asked
		}
		switch s.kind {
		case 'P':
			c.close(s.prepared.name)
			c.prepare(s.prepared, false)
		case 'B':
			if s.wanted && !c.has(s.prepared) {
				c.close(s.prepared.name)
				c.wire = appendParse(c.wire, s.prepared)
				c.asked++
				c.prepare(s.prepared, true)
			}
		case 'C':
			c.g.closes = append(c.g.closes, closed{name: s.prepared.name})
			c.intend(parseMessage{name: s.prepared.name})
		}
		if s.executes {
			c.g.executes = append(c.g.executes, s.execution)
		}
		c.wire = append(c.wire, s.raw...)
		c.asked++
		if s.kind == 'Q' || s.kind == 'S' {
			c.groups = append(c.groups, c.g)
			c.g = &group{}
		}
	}
	return c.compiled
}

// has says whether the backend will have prepared p by then. One without name lives too short to count on.
func (c *compiler) has(p parseMessage) bool {
	if have, ok := c.planned[p.name]; ok {
		return have == p
	}
	return p.name != "" && c.on.prepared[p.name] == p
}

func (c *compiler) prepare(p parseMessage, silent bool) {
	c.g.parses = append(c.g.parses, parsed{p, silent})
	c.intend(p)
}

func (c *compiler) intend(p parseMessage) {
	if c.planned == nil {
		c.planned = map[string]parseMessage{}
	}
	c.planned[p.name] = p
}

// close frees a name before it is given anew: the session may have it from another connection. To close what is not there
// is no error.
func (c *compiler) close(name string) {
	if name != "" {
		c.wire = appendCloseStatement(c.wire, name)
		c.asked++
		c.g.closes = append(c.g.closes, closed{name, true})
	}
}
