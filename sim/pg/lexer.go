package pg

import "strings"

// token is a piece of SQL text as far as the gate needs to understand it.
type token struct {
	kind tokenKind
	text string // words in lower case; strings without their quotes
}

type tokenKind uint8

const (
	word   tokenKind = iota // keyword, name or number without quotes
	quoted                  // "name"
	text                    // 'text', E'text', $tag$text$tag$
	sign                    // any other character
)

func (t token) is(word_ string) bool { return t.kind == word && t.text == word_ }

// lex cuts SQL into tokens, without blanks and comments. It never fails: what it can't read ends the text, and the
// server, which gets the same text, says what is wrong with it.
func lex(sql string) []token {
	var out []token
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			i++
		case strings.HasPrefix(sql[i:], "--"):
			i = lineEnd(sql, i)
		case strings.HasPrefix(sql[i:], "/*"):
			i = commentEnd(sql, i)
		case c == '\'':
			s, end := readQuoted(sql, i, '\'', escapes(out, sql, i))
			out, i = append(out, token{text, s}), end
		case c == '"':
			s, end := readQuoted(sql, i, '"', false)
			out, i = append(out, token{quoted, s}), end
		case c == '$' && dollarTag(sql[i:]) != "":
			tag := dollarTag(sql[i:])
			body, _, _ := strings.Cut(sql[i+len(tag):], tag)
			out, i = append(out, token{text, body}), min(len(sql), i+2*len(tag)+len(body))
		case isWord(c):
			j := i
			for j < len(sql) && (isWord(sql[j]) || sql[j] == '$') {
				j++
			}
			out, i = append(out, token{word, strings.ToLower(sql[i:j])}), j
		default:
			out, i = append(out, token{sign, sql[i : i+1]}), i+1
		}
	}
	return out
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func lineEnd(sql string, i int) int {
	if j := strings.IndexByte(sql[i:], '\n'); j >= 0 {
		return i + j + 1
	}
	return len(sql)
}

// commentEnd knows that comments nest.
func commentEnd(sql string, i int) int {
	for depth := 0; i < len(sql); {
		switch {
		case strings.HasPrefix(sql[i:], "/*"):
			depth, i = depth+1, i+2
		case strings.HasPrefix(sql[i:], "*/"):
			depth, i = depth-1, i+2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return len(sql)
}

// escapes says whether the quote at i opens an E'…' text, where a backslash escapes.
func escapes(before []token, sql string, i int) bool {
	return i > 0 && (sql[i-1] == 'e' || sql[i-1] == 'E') && len(before) > 0 && before[len(before)-1].is("e")
}

func readQuoted(sql string, i int, quote byte, backslash bool) (content string, end int) {
	var b strings.Builder
	for i++; i < len(sql); i++ {
		switch {
		case backslash && sql[i] == '\\' && i+1 < len(sql):
			i++
			b.WriteByte(sql[i])
		case sql[i] == quote && i+1 < len(sql) && sql[i+1] == quote:
			i++
			b.WriteByte(quote)
		case sql[i] == quote:
			return b.String(), i + 1
		default:
			b.WriteByte(sql[i])
		}
	}
	return b.String(), len(sql)
}

// dollarTag is $$ or $name$ at the start of s, "" for a parameter like $1.
func dollarTag(s string) string {
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '$':
			return s[:i+1]
		case !isWord(c) || i == 1 && c >= '0' && c <= '9':
			return ""
		}
	}
	return ""
}

// statements cuts tokens at the semicolons; empty ones are dropped.
func statements(tokens []token) [][]token {
	var out [][]token
	for len(tokens) > 0 {
		i := 0
		for i < len(tokens) && tokens[i] != (token{sign, ";"}) {
			i++
		}
		if i > 0 {
			out = append(out, tokens[:i])
		}
		tokens = tokens[min(len(tokens), i+1):]
	}
	return out
}
