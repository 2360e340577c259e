package pg

import (
	"encoding/hex"
	"hash"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// answer is what came back for a flush: bytes for the driver, and the part of them that may be hashed. Process ids,
// transaction ids, OIDs, positions in the log and the DETAIL of errors differ from run to run and are no part of it.
type answer struct {
	bytes  []byte
	tags   []string // command tags, and errors as ERROR <SQLSTATE> <constraint>
	keys   []string // first column of up to keysMax rows
	rows   int
	digest hash.Hash // over all rows; nil without rows
	waited bool
	held   bool // it came in two parts
	failed bool
}

const keysMax = 16

func (a *answer) String() string {
	out := strings.Join(a.tags, ", ")
	if a.digest != nil {
		out += " #" + hex.EncodeToString(a.digest.Sum(nil)[:6])
	}
	return out
}

// outcome is what others could have made different: tags and errors, and how many rows came. Rows hold times and are not in it.
func (a *answer) outcome() string {
	out := strings.Join(a.tags, ", ")
	if a.rows > 0 {
		out += " " + strconv.Itoa(a.rows)
	}
	return out
}

// keyText is a value of the first column as text.
func keyText(value []byte, column uint32, binary bool) string {
	if !binary {
		return string(value)
	}
	var n int64
	for i, b := range value {
		if i == 0 {
			n = int64(int8(b))
			continue
		}
		n = n<<8 | int64(b)
	}
	switch column {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID:
		return strconv.FormatInt(n, 10)
	case pgtype.BoolOID:
		return strconv.FormatBool(n != 0)
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID, pgtype.JSONOID:
		return string(value)
	case pgtype.UUIDOID:
		if h := hex.EncodeToString(value); len(h) == 32 {
			return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
		}
	}
	if printable(value) { // an enum, a domain over text
		return string(value)
	}
	return hex.EncodeToString(value)
}

func printable(value []byte) bool {
	for _, b := range value {
		if b < ' ' || b > '~' {
			return false
		}
	}
	return true
}
