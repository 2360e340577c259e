// Package postgres is the only SQL of the product: one function per business transaction, and pgx never leaves it.
//
//	claim ──▶ leased ──(fence, lease_until > recon.now())──▶ the one write that ends the claim
//
// What is authoritative is the database: it says what is due and whose lease is over, through recon.now() alone.
// Durations go in as intervals, an expiry is read back, and a worker stops itself by its own monotonic clock before
// the lease can have ended.
//
// Every write of a claim carries its fence; no row means the lease is lost (engine.ErrLeaseLost) and nothing more may
// be touched. A COMMIT without an answer is read back under a lock on the claim's row over a new connection: the
// COMMIT in flight still holds that row, so only an answer under the lock counts. A lone COMMIT is never retried, and
// a read-back that ends without an answer is ErrCommitUnknown, never a guess.
//
// It promises neither that a statement was not executed when its answer was lost (inTx and the fences make that
// harmless) nor order between claims of different records.
//
// queries/*.sql are ours; queries/*.sql.go are generated from them by generate.sh. The names of the queries are the
// labels of scripts and stories.
package postgres
