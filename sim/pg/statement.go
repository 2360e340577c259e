package pg

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// statement is what the gate knows of a text of SQL, read once a text.
type statement struct {
	sql      string
	squeezed string // blanks made single: this is hashed
	label    string // sql:FinishJob, sql:begin, sql:3f21a0b4
	empty    bool   // nothing but blanks and comments: a ping
	begins   bool   // opens a transaction and does nothing else
	commits  bool   // is a COMMIT and nothing else
	aborts   bool   // is a ROLLBACK of the whole transaction and nothing else
	reads    bool   // as far as its text tells, it only reads and takes no lock worth holding
	defines  bool   // changes the catalogue: what is remembered of prepared statements is void
	keeps    bool   // leaves something in the session that outlives a transaction (a setting, a session lock, a temporary table)
	releases bool   // may let go of locks inside an open transaction (savepoints, advisory unlock)
	isolates bool   // says something of isolation: its transaction, or its session, may keep a snapshot
	snaps    bool   // takes a snapshot for certain
	resumes  bool   // goes on with what an earlier statement began (a cursor), or ends a part of the transaction
	single   bool   // it is one statement, not several in one text
	selects  bool   // a SELECT: its snapshot is taken before it runs
	copies   bool   // COPY … FROM STDIN
	sets     bool   // SET, RESET, a savepoint: no work that could be held
	names    names
	refused  *RefusedStatementError
}

// queryName is the comment that sqlc puts before each query.
var queryName = regexp.MustCompile(`^\s*--\s*name:\s*([A-Za-z_][A-Za-z0-9_]*)`)

func readStatement(sql string) *statement { return permits{}.read(sql) }

// read reads a text of a program that may say what p says.
func (p permits) read(sql string) *statement {
	list := statements(lex(sql))
	s := &statement{sql: sql, squeezed: strings.Join(strings.Fields(sql), " "), empty: len(list) == 0, names: readNames(list)}
	s.refused = refuse(sql, list, p)
	if s.single = len(list) == 1; s.single {
		s.classify(list[0])
		first := list[0][0]
		if first.is("copy") {
			s.copies, _ = copying(list[0])
		}
		s.snaps, s.selects = snaps(first), first.is("select")
		s.sets = first.is("set") || first.is("reset") || first.is("savepoint") || first.is("release") || first.is("rollback") || first.is("show")
	}
	for _, tokens := range list {
		s.defines = s.defines || defines(tokens)
		s.releases = s.releases || releases(tokens)
		s.keeps = s.keeps || keeps(tokens)
		s.isolates = s.isolates || isolates(tokens)
		s.resumes = s.resumes || resumes(tokens[0])
		s.names.unknown = s.names.unknown || !followed(tokens[0])
	}
	s.label = s.name()
	return s
}

// refusal is refused as an error.
func (s *statement) refusal() error {
	if s.refused == nil {
		return nil
	}
	return s.refused
}

func (s *statement) name() string {
	switch {
	case s.begins:
		return "sql:begin"
	case s.commits:
		return "sql:commit"
	case s.aborts:
		return "sql:rollback"
	}
	if m := queryName.FindStringSubmatch(s.sql); m != nil {
		return "sql:" + m[1]
	}
	sum := sha256.Sum256([]byte(s.squeezed))
	return "sql:" + hex.EncodeToString(sum[:4])
}

func (s *statement) classify(tokens []token) {
	first := tokens[0]
	switch {
	case first.is("begin") || first.is("start"):
		s.begins = true
	case first.is("commit") || first.is("end"):
		s.commits = true
	case first.is("rollback") || first.is("abort"):
		s.aborts = !has(tokens, "to")
	case first.is("select") || first.is("values") || first.is("show"):
		// A locking SELECT and a function of ours may well do something; calls of the server's own functions don't.
		s.reads = !has(tokens, "update") && !has(tokens, "share") && !hasQualifiedCall(tokens)
	}
}

func has(tokens []token, w string) bool {
	for _, t := range tokens {
		if t.is(w) {
			return true
		}
	}
	return false
}

// hasQualifiedCall finds schema.function( other than recon.now().
func hasQualifiedCall(tokens []token) bool {
	for i := 2; i+1 < len(tokens); i++ {
		if tokens[i].kind == word && tokens[i-1] == (token{sign, "."}) && tokens[i+1] == (token{sign, "("}) && !tokens[i].is("now") {
			return true
		}
	}
	return false
}

func defines(tokens []token) bool {
	switch t := tokens[0]; {
	case t.kind != word:
		return false
	case t.text == "do" || t.text == "call":
		return true // can hold anything
	default:
		return t.text == "create" || t.text == "alter" || t.text == "drop"
	}
}

func releases(tokens []token) bool {
	if tokens[0].is("rollback") || tokens[0].is("release") || tokens[0].is("do") || tokens[0].is("call") {
		return true
	}
	for _, t := range tokens {
		if t.kind == word && strings.HasPrefix(t.text, "pg_advisory_unlock") {
			return true
		}
	}
	return false
}

// keeps errs on the side of yes: it only costs that the connection holds on to its session.
func keeps(tokens []token) bool {
	switch first := tokens[0]; {
	case first.is("do"), first.is("call"), first.is("load"):
		return true
	case first.is("set"):
		return !(len(tokens) > 1 && (tokens[1].is("local") || tokens[1].is("transaction") || tokens[1].is("constraints")))
	}
	for _, t := range tokens {
		switch {
		case t.kind != word:
		case t.text == "set_config", t.text == "temp", t.text == "temporary", t.text == "pg_temp", t.text == "hold":
			return true
		case strings.HasPrefix(t.text, "pg_advisory_lock"), strings.HasPrefix(t.text, "pg_try_advisory_lock"):
			return true
		}
	}
	return false
}

// isolates finds REPEATABLE READ and SERIALIZABLE wherever they can be asked for: BEGIN, SET TRANSACTION, a setting.
func isolates(tokens []token) bool {
	for _, t := range tokens {
		if t.kind == word && (t.text == "isolation" || t.text == "default_transaction_isolation" || t.text == "transaction_isolation") ||
			t.kind == text && strings.Contains(t.text, "transaction_isolation") {
			return true
		}
	}
	return false
}

func snaps(first token) bool {
	return first.is("select") || first.is("with") || first.is("insert") || first.is("update") || first.is("delete") || first.is("merge")
}

// resumes: a cursor touches when it is fetched from, ROLLBACK TO frees locks.
func resumes(first token) bool {
	return first.is("fetch") || first.is("move") || first.is("rollback")
}

// followed says that a statement with this first word touches what its text names, and nothing else.
func followed(first token) bool {
	if first.kind != word {
		return first.sign("(")
	}
	switch first.text {
	case "select", "with", "values", "table", "copy", "insert", "update", "delete", "merge", "truncate", "lock", "explain", "do", "call", "declare", "fetch", "move",
		"close", "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "set", "reset", "show":
		return true
	}
	return false
}
