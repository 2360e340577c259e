package pg

import (
	"slices"
	"strings"
)

// access is what a statement does to a relation that it names, as bits.
type access uint8

const (
	reads access = 1 << iota
	inserts
	updates
	deletes
	truncates
	locksRows // FOR UPDATE and its weaker forms
	keys      // with updates: of columns that a foreign key has on either side

	merges = inserts | updates | deletes | keys
	writes = merges | truncates | locksRows
)

// objectName is a name as the text has it; schema is "" where it says none.
type objectName struct{ schema, name string }

// mention is a relation named where a relation can stand.
type mention struct {
	objectName
	alias  string
	access access
	set    []string // columns that an UPDATE sets
}

// names are what a text of SQL, or a function's body, says by itself about what it touches. Where the text leaves a doubt,
// more is named than is touched: a column may be taken for a table of the same name, never the other way round.
type names struct {
	relations []mention
	functions []objectName // called, or written like a column of a row
	sequences []objectName // moved by nextval('…') or setval('…')
	literals  []objectName // 'name'::regclass, pg_relation_size('name')
	advisory  bool         // takes or frees an advisory lock
	clock     bool         // reads the simulated clock
	catalogue bool         // reads the server's catalogue
	unknown   bool         // builds SQL as it runs, or looks at the whole server
}

// scanner walks over tokens and knows where a relation may stand.
type scanner struct {
	names
	tokens []token
	levels []level // one for each open bracket, and the statement's
}

// level is a bracket's inside. A relation stands after FROM and its like, and after a comma or a bracket there.
type level struct {
	from    bool   // in a list of relations
	expects bool   // a relation may come next
	access  access // of the relations to come
	first   int    // relations named from here on are this level's, or deeper
	sets    bool   // columns are being set
	sought  bool   // a column to be set comes next
}

// readNames reads the statements of one text.
func readNames(list [][]token) names {
	s := &scanner{}
	for _, tokens := range list {
		s.tokens, s.levels = tokens, []level{{access: reads, first: len(s.relations)}}
		for i := 0; i < len(tokens); {
			i = s.step(i)
		}
	}
	return s.names
}

func (n *names) join(o names) {
	n.relations = append(n.relations, o.relations...)
	n.functions = append(n.functions, o.functions...)
	n.sequences = append(n.sequences, o.sequences...)
	n.literals = append(n.literals, o.literals...)
	n.advisory, n.clock = n.advisory || o.advisory, n.clock || o.clock
	n.catalogue, n.unknown = n.catalogue || o.catalogue, n.unknown || o.unknown
}

func (s *scanner) top() *level { return &s.levels[len(s.levels)-1] }

// at is the token there, or an empty one outside.
func (s *scanner) at(i int) token {
	if i < 0 || i >= len(s.tokens) {
		return token{kind: sign}
	}
	return s.tokens[i]
}

func (t token) sign(c string) bool { return t.kind == sign && t.text == c }

// identifier says that a token can be a name.
func (t token) identifier() bool {
	return t.kind == quoted || t.kind == word && (t.text[0] < '0' || t.text[0] > '9')
}

// step reads what stands at i and answers where to go on.
func (s *scanner) step(i int) int {
	switch t := s.at(i); {
	case s.top().sought:
		return s.setColumns(i)
	case t.kind == sign:
		s.sign(t.text)
	case t.kind == text:
		s.literal(i)
	case t.identifier():
		return s.word(i)
	}
	return i + 1
}

func (s *scanner) sign(c string) {
	top := s.top()
	switch c {
	case "(", "[":
		inner := level{from: top.from && top.expects, expects: top.expects, access: top.access, first: len(s.relations)}
		top.expects = false
		s.levels = append(s.levels, inner)
	case ")", "]":
		if len(s.levels) > 1 {
			s.levels = s.levels[:len(s.levels)-1]
		}
		s.top().expects = false
	case ",":
		top.expects, top.sought = top.from, top.sets
	}
}

// setColumns reads the column, or the columns in brackets, that stand at i before their =. Which UPDATE of the text sets them
// is not asked: all of them.
func (s *scanner) setColumns(i int) int {
	s.top().sought = false
	var set []string
	if s.at(i).sign("(") {
		for i++; i < len(s.tokens) && !s.at(i).sign(")"); i++ {
			set = append(set, fold(s.at(i)))
		}
	} else {
		set = []string{fold(s.at(i))}
	}
	for j := range s.relations {
		if m := &s.relations[j]; m.access&updates != 0 {
			m.set = append(m.set, set...)
		}
	}
	return i + 1
}

// word reads a keyword or a name with its qualifiers.
func (s *scanner) word(i int) int {
	t := s.at(i)
	qualifies, qualified := s.at(i+1).sign("."), s.at(i-1).sign(".")
	if t.kind == word && !qualifies && !qualified && s.keyword(i) {
		return i + 1
	}
	if t.kind == quoted && s.at(i-1).sign("&") { // U&"…": escapes that are not read here
		s.unknown = true
	}
	name, next := s.name(i)
	call := s.at(next).sign("(")
	top := s.top()
	if top.expects && (!call || top.access != reads) {
		s.relation(name, next)
		top.expects = false
		return next
	}
	top.expects = false
	if call || next > i+1 {
		s.function(name, next)
	}
	return next
}

// name reads a.b or a.b.c at i: of three, the last two.
func (s *scanner) name(i int) (objectName, int) {
	n := objectName{name: fold(s.at(i))}
	for i++; s.at(i).sign(".") && s.at(i+1).identifier(); i += 2 {
		n = objectName{n.name, fold(s.at(i + 1))}
	}
	return n, i
}

// nameBytesMax is how much of a name the server looks at.
const nameBytesMax = 63

// fold makes one name of all that differ in case only, so that it need not be known how the server folds them.
func fold(t token) string { return foldText(t.text) }

func foldText(s string) string {
	if len(s) > nameBytesMax {
		s = s[:nameBytesMax]
	}
	return strings.ToLower(s)
}

func (s *scanner) relation(n objectName, next int) {
	top := s.top()
	m := mention{objectName: n, access: top.access}
	if s.at(next).is("as") {
		next++
	}
	if s.at(next).identifier() {
		m.alias = fold(s.at(next))
	}
	s.relations = append(s.relations, m)
	if n.schema == "pg_catalog" || n.schema == "information_schema" || n.schema == "" && strings.HasPrefix(n.name, "pg_") {
		s.catalogue = true
		s.unknown = s.unknown || watchesServer(n.name)
	}
	if top.access != truncates { // of the relations after the first one, only TRUNCATE and LOCK mean all
		top.access = reads
	}
}

func (s *scanner) function(n objectName, next int) {
	s.functions = append(s.functions, n)
	switch {
	case strings.HasPrefix(n.name, "pg_advisory"), strings.HasPrefix(n.name, "pg_try_advisory"):
		s.advisory = true
	case n.name == "nextval" || n.name == "setval":
		if s.at(next+1).kind != text {
			s.unknown = true
		}
	case watchesServer(n.name), runsText(n.name):
		s.unknown = true
	}
}

// literal is a text that may name something.
func (s *scanner) literal(i int) {
	t := s.at(i)
	if t.text == "recon.sim_now" {
		s.clock = true
	}
	if s.at(0).is("do") { // the body is a text
		s.join(readNames(statements(lex(t.text))))
	}
	first := s.at(i - 1).sign("(")
	caller := s.at(i - 2)
	switch {
	case first && (caller.is("nextval") || caller.is("setval")):
		s.sequences = append(s.sequences, nameIn(t.text))
	case first && caller.kind == word && strings.HasPrefix(caller.text, "pg_"),
		s.at(i+1).sign(":") && s.at(i+3).is("regclass"):
		s.literals = append(s.literals, nameIn(t.text))
	}
}

// nameIn reads a name inside a text.
func nameIn(text string) objectName {
	s := &scanner{tokens: lex(text)}
	if !s.at(0).identifier() {
		return objectName{}
	}
	n, _ := s.name(0)
	return n
}

// watchesServer: functions and views that show what other sessions do at this moment.
func watchesServer(name string) bool {
	for _, prefix := range []string{"pg_stat", "pg_lock", "pg_blocking", "pg_safe_snapshot", "pg_prepared", "pg_cursors", "pg_current_", "pg_snapshot",
		"pg_xact", "pg_visible", "pg_export_snapshot", "pg_terminate", "pg_cancel", "pg_last_", "pg_wal", "pg_switch", "pg_replication", "txid_", "lo_", "loread", "lowrite"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// runsText: functions of the server that run SQL which they are given.
func runsText(name string) bool {
	return strings.HasSuffix(name, "_to_xml") || strings.HasSuffix(name, "_to_xmlschema") || strings.HasSuffix(name, "_to_xml_and_xmlschema") ||
		name == "ts_stat" || name == "ts_rewrite"
}

// nameWords mean something elsewhere, but the server also takes them unquoted as names of relations.
var nameWords = []string{"update", "set", "values", "truncate", "lock", "execute", "prepare", "begin", "loop", "perform"}

// keyword says whether the word at i is one that matters, and takes it in.
func (s *scanner) keyword(i int) bool {
	top := s.top()
	if top.expects && slices.Contains(nameWords, s.at(i).text) && !(s.at(i).is("values") && s.at(i+1).sign("(")) {
		return false
	}
	switch s.at(i).text {
	case "from", "using":
		top.from, top.expects, top.access, top.sets = true, true, reads, false
		if s.at(i - 1).is("delete") {
			top.access = deletes
		}
	case "join":
		top.from, top.expects, top.access = true, true, reads
	case "into":
		top.from, top.expects, top.access = false, true, reads
		switch before := s.at(i - 1); {
		case before.is("insert"):
			top.access = inserts
		case before.is("merge"):
			top.access = merges
		}
	case "update":
		s.update(i)
	case "truncate", "lock":
		top.from, top.expects, top.access = true, true, truncates
	case "table":
		top.expects = true
		if top.access != truncates {
			top.access = reads
		}
	case "only", "lateral", "rows":
		return top.expects
	case "for":
		s.locking(i)
		top.expects = false
	case "copy":
		if i == 0 {
			top.expects, top.access = true, inserts
		}
	case "execute", "prepare":
		s.unknown = true
	case "on", "as", "when", "then", "else", "loop", "begin":
		top.expects = false // the list of relations may go on behind them
	case "set":
		top.from, top.expects, top.access = false, false, reads
		top.sets, top.sought = true, true
	case "select", "where", "group", "order", "having", "values", "returning", "limit", "offset", "window", "union", "except", "intersect", "perform":
		top.from, top.expects, top.access, top.sets = false, false, reads, false
	default:
		return false
	}
	return true
}

// update: the target of an UPDATE, or what an ON CONFLICT or a MERGE does to the target it has named.
func (s *scanner) update(i int) {
	top := s.top()
	before := s.at(i - 1)
	switch {
	case s.at(i + 1).is("set"):
		for j := range s.relations {
			if s.relations[j].access&inserts != 0 {
				s.relations[j].access |= updates
			}
		}
	case before.is("for"), before.is("key"), before.is("on"):
	default:
		top.from, top.expects, top.access = false, true, updates
	}
}

// locking reads FOR [NO KEY] UPDATE | [KEY] SHARE [OF …] at i: it locks rows of what it names, or of all that its level names.
func (s *scanner) locking(i int) {
	i++
	for s.at(i).is("no") || s.at(i).is("key") {
		i++
	}
	if !s.at(i).is("update") && !s.at(i).is("share") {
		return
	}
	named := s.relations[s.top().first:]
	of, whole := s.lockedNames(i+1, named)
	for j := range named {
		if whole || slices.Contains(of, named[j].name) || slices.Contains(of, named[j].alias) {
			named[j].access |= locksRows
		}
	}
}

// lockedNames are those after OF; whole where there are none, or one of them is no relation's name or alias here.
func (s *scanner) lockedNames(i int, named []mention) (of []string, whole bool) {
	if !s.at(i).is("of") {
		return nil, true
	}
	for i++; s.at(i).identifier(); i++ {
		var n objectName
		n, i = s.name(i)
		if !slices.ContainsFunc(named, func(m mention) bool { return m.name == n.name || m.alias == n.name }) {
			return nil, true
		}
		of = append(of, n.name)
		if !s.at(i).sign(",") {
			break
		}
	}
	return of, false
}
