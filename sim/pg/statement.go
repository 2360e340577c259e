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
	refused  *RefusedStatementError
}

// queryName is the comment that sqlc puts before each query.
var queryName = regexp.MustCompile(`^\s*--\s*name:\s*([A-Za-z_][A-Za-z0-9_]*)`)

func readStatement(sql string) *statement {
	list := statements(lex(sql))
	s := &statement{sql: sql, squeezed: strings.Join(strings.Fields(sql), " "), empty: len(list) == 0}
	s.refused = refuse(sql, list)
	if len(list) == 1 {
		s.classify(list[0])
	}
	for _, tokens := range list {
		s.defines = s.defines || defines(tokens)
		s.releases = s.releases || releases(tokens)
		s.keeps = s.keeps || keeps(tokens)
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
