package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// What is wrong with a record, so that trying again comes to the same. Duty: burn an attempt, or ask for a person.
var (
	// ErrUnreadable: what is stored makes no sense to this build.
	ErrUnreadable = errors.New("what is stored cannot be read")
	// ErrInconsistent: what is stored contradicts itself.
	ErrInconsistent = errors.New("what is stored contradicts itself")
)

// RecordsFault says whose fault an error of the database side is: true, the record's own: what was to be written or is
// stored is wrong, and the same work would end the same way again. Everything else is ours or the server's: a broken
// connection, a lost race, a server that is full, stopping or read-only, a grant or a migration that is missing. That
// costs a record nothing, or an hour of maintenance would bury a night's work.
func RecordsFault(err error) bool {
	var scan pgx.ScanArgError
	var answer *pgconn.PgError
	switch {
	case errors.Is(err, ErrCommitUnknown), errors.Is(err, ErrNotCommitted):
		return false
	case errors.Is(err, ErrUnreadable), errors.Is(err, ErrInconsistent), errors.Is(err, ErrBookedOtherwise), errors.As(err, &scan):
		return true
	case !errors.As(err, &answer) || len(answer.Code) != 5:
		return false
	}
	switch answer.Code[:2] {
	case "21", // more rows than one, where only data could make them so
		"22", // values
		"23", // constraints, and our triggers, which raise as such
		"54", // too large for a row, an index, a limit of the server
		"P0": // what our functions raise
		return true
	}
	return false
}
