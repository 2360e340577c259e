package pg

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// RefusedStatementError says that a statement would leave the simulation: by reading a clock or chance of the server, by
// a timer of the server, or in a way the gate does not carry yet. The run proves nothing; its verdict is `error`.
type RefusedStatementError struct {
	SQL string
	Why string // what was found and what would be accepted
}

func (e *RefusedStatementError) Error() string {
	return fmt.Sprintf("statement refused under simulation: %s; the statement: %s", e.Why, strings.Join(strings.Fields(e.SQL), " "))
}

// bypassing are functions of the server that read its clock, its chance, or wait by its clock. Roles of the engine have
// no EXECUTE on them on simulation servers, which also finds them inside defaults, functions and triggers.
var bypassing = []string{
	"now", "statement_timestamp", "clock_timestamp", "transaction_timestamp", "timeofday",
	"random", "random_normal", "gen_random_uuid", "uuidv4", "uuidv7",
	"pg_sleep", "pg_sleep_for", "pg_sleep_until",
}

// clockWords are clocks that need no privilege, so that only their text gives them away.
var clockWords = []string{"current_timestamp", "current_time", "current_date", "localtimestamp", "localtime"}

// fixedSettings belong to the harness.
var fixedSettings = []string{
	"lock_timeout", "statement_timeout", "transaction_timeout", "idle_in_transaction_session_timeout", "idle_session_timeout",
	"deadlock_timeout", "client_min_messages", "log_lock_waits", "lc_messages", "session_replication_role", "client_connection_check_interval", "sim_now", "sim_timeline",
}

// permits are what a program may say beyond what every program may.
type permits struct {
	shadowed     []string // functions of the server's clock and chance that the database has made its own
	serializable bool
}

// refuse reads all the statements of one text and answers the first that can't be carried, nil where all can.
func refuse(sql string, list [][]token, p permits) *RefusedStatementError {
	for _, tokens := range list {
		for _, rule := range []func([]token) string{refuseFirstWord, refuseSetting, p.refuseIsolation, p.refuseClock, refuseBody} {
			if why := rule(tokens); why != "" {
				return &RefusedStatementError{SQL: sql, Why: why}
			}
		}
	}
	return nil
}

func refuseFirstWord(tokens []token) string {
	if tokens[0].kind != word {
		return ""
	}
	switch w := tokens[0].text; w {
	case "copy":
		return refuseCopy(tokens)
	case "listen", "notify", "unlisten":
		return strings.ToUpper(w) + " is not carried by the gate; accepted is polling"
	case "prepare", "deallocate", "discard":
		return strings.ToUpper(w) + " in SQL would upset the prepared statements that the gate keeps; accepted are the driver's own"
	case "vacuum", "analyze", "cluster", "reindex", "checkpoint":
		return strings.ToUpper(w) + " moves the physical state and the plans of the run; accepted is doing it outside of a run"
	}
	for i, t := range tokens {
		switch {
		case t.is("pg_notify") && called(tokens, i):
			return "pg_notify is not carried by the gate; accepted is polling"
		case (t.is("currval") || t.is("lastval")) && called(tokens, i):
			return t.text + "() asks what another connection of the shared session may have moved; accepted is RETURNING"
		}
	}
	return ""
}

// refuseSetting finds SET (also of ALTER ROLE and of CREATE FUNCTION), RESET, set_config and an UPDATE of pg_settings, of what
// is the harness's.
func refuseSetting(tokens []token) string {
	configures := has(tokens, "set_config") || has(tokens, "pg_settings") && has(tokens, "update")
	sets := has(tokens, "set") || tokens[0].is("reset")
	for i, t := range tokens {
		switch {
		case configures && t.kind == text && fixed(t.text), sets && t.kind != text && fixed(t.text):
			return "the setting " + t.text + " belongs to the simulation; accepted are deadlines of the Runtime"
		case t.is("set_config") && called(tokens, i) && i+2 < len(tokens) && tokens[i+2].kind != text:
			return "set_config of a setting that the text does not name could be one of the simulation's; accepted is set_config('name', …)"
		case sets && t.is("authorization") && i > 0 && tokens[i-1].is("session"):
			return "SESSION AUTHORIZATION would outlive the session's recycling; accepted is the start-up parameter role"
		}
	}
	return ""
}

// fixed says that a setting is the harness's.
func fixed(name string) bool {
	return slices.Contains(fixedSettings, strings.TrimPrefix(strings.ToLower(name), "recon."))
}

// refuseBody looks into what a DO does and what a function will do when it is called.
func refuseBody(tokens []token) string {
	if !tokens[0].is("do") && !tokens[0].is("create") {
		return ""
	}
	for _, t := range tokens {
		if t.kind != text {
			continue
		}
		for _, body := range statements(lex(t.text)) {
			if why := refuseInside(body); why != "" {
				return why
			}
		}
	}
	return ""
}

// refuseInside reads one statement of a function's body, before which a block may begin.
func refuseInside(tokens []token) string {
	if why := refuseSetting(tokens); why != "" {
		return why
	}
	for i, t := range tokens {
		begins := i == 0 || tokens[i-1].is("begin") || tokens[i-1].is("then") || tokens[i-1].is("else") || tokens[i-1].is("loop")
		switch {
		case begins && (t.is("notify") || t.is("listen") || t.is("unlisten")) && i+1 < len(tokens):
			return strings.ToUpper(t.text) + " is not carried by the gate; accepted is polling"
		case t.is("pg_notify") && called(tokens, i):
			return "pg_notify is not carried by the gate; accepted is polling"
		}
	}
	return ""
}

func (p permits) refuseIsolation(tokens []token) string {
	asks := tokens[0].is("begin") || tokens[0].is("start") || tokens[0].is("set") || isolates(tokens)
	if !asks {
		return ""
	}
	for i, t := range tokens {
		if t.kind != quoted && strings.ToLower(t.text) == "serializable" && !p.serializable {
			return refusedSerializable
		}
		if t.is("deferrable") && i > 0 && !tokens[i-1].is("not") {
			return "DEFERRABLE transactions wait for others in a way the gate can't see; accepted is NOT DEFERRABLE"
		}
	}
	return ""
}

// refuseStartup reads what a client sets before its first statement: parameters of their own, or -c name=value in options.
func refuseStartup(start startup, p permits) error {
	parameters := start.parameters()
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		value := strings.ToLower(parameters[name])
		refused := &RefusedStatementError{SQL: "start-up parameter " + name + "=" + parameters[name]}
		set := []string{strings.ToLower(name)}
		if name == "options" {
			set = strings.FieldsFunc(strings.ReplaceAll(value, "-", "_"), func(r rune) bool { return r == ' ' || r == '=' })
		}
		for _, s := range set {
			s = strings.TrimPrefix(strings.TrimPrefix(s, "_c"), "__")
			switch {
			case fixed(s):
				refused.Why = "the setting " + s + " belongs to the simulation; accepted are deadlines of the Runtime"
				return refused
			case strings.HasSuffix(s, "transaction_isolation") && strings.Contains(value, "serializable") && !p.serializable:
				refused.Why = refusedSerializable
				return refused
			}
		}
	}
	return nil
}

const refusedSerializable = "SERIALIZABLE needs resets that truncate; accepted are READ COMMITTED and REPEATABLE READ, and it with SessionOptions.Serializable"

func (p permits) refuseClock(tokens []token) string {
	for i, t := range tokens {
		after := i > 0 && tokens[i-1] == token{sign, "."}
		switch {
		case t.kind == word && !after && slices.Contains(clockWords, t.text):
			return strings.ToUpper(t.text) + " reads the server's clock; accepted is recon.now()"
		case t.kind == word && !after && slices.Contains(p.shadowed, t.text):
		case t.kind == word && slices.Contains(bypassing, t.text) && called(tokens, i) && (!after || i > 1 && tokens[i-2].is("pg_catalog")):
			return t.text + "() is the server's own clock or chance; accepted is recon.now(), or an id of the Runtime"
		case t.kind == text && clockText(tokens, i):
			return "the text '" + t.text + "' reads the server's clock; accepted is recon.now()"
		}
	}
	return ""
}

func called(tokens []token, i int) bool {
	return i+1 < len(tokens) && tokens[i+1] == token{sign, "("}
}

// clockText: 'now' means the clock wherever a time is expected, and that can't be seen from the text alone; of the
// other magic words only those written as a time are refused.
func clockText(tokens []token, i int) bool {
	switch strings.ToLower(strings.TrimSpace(tokens[i].text)) {
	case "now":
		return true
	case "today", "tomorrow", "yesterday":
		before := i > 0 && timeType(tokens[i-1])
		cast := i+3 < len(tokens) && tokens[i+1] == token{sign, ":"} && timeType(tokens[i+3])
		as := i+2 < len(tokens) && tokens[i+1].is("as") && timeType(tokens[i+2])
		return before || cast || as
	}
	return false
}

func timeType(t token) bool {
	return t.is("timestamp") || t.is("timestamptz") || t.is("date") || t.is("time") || t.is("timetz") || t.is("zone")
}
