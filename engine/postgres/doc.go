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
// A failover or a restore makes another existence of the database, told by recon.server_identity(). Whoever notices first,
// at Open or at a heartbeat, takes the next incarnation:
//
//	server is another ─▶ nothing is claimed ─▶ incarnation n+1, not opened ─▶ Recover(since T) ─▶ opened
//	                     (a heartbeat long)    claims under new fences;
//	                                           submitting never commits
//
// While it is not opened, nothing is submitted, alarm `incarnation` stands, and advice says so. What only reads the outside
// and writes here goes on: admission, statements and reconciliations, look-ups, receipts, the answers of calls that were
// under way. A reconciliation that was claimed before is refused, because what it read may be lost.
//
// After Recover a record is in doubt when its job's window was due before it: whether it survived or is made again under the
// same key, and in whatever state it is. Its next claim makes it unknown (recon.lost, asked_incarnation), and it acts only
// when the outside has denied every key that the lost seconds can have used, or a person vouches for it. The statement that
// commits submitting asks once more. So: nothing is done twice and nothing is stuck without a person being named, provided
// that the old server is off before Recover, that T is early enough, and that the outside answers for its keys. What is
// lost for good is what only the lost seconds knew: payments that billing had fed, receipts that were acknowledged, pauses,
// approvals; and a step that a lost message said and no record made again covers may be said in the next one. No loss and
// no doubles without a person needs a synchronous standby.
//
// It promises neither that a statement was not executed when its answer was lost (inTx and the fences make that
// harmless) nor order between claims of different records.
//
// queries/*.sql are ours; queries/*.sql.go are generated from them by generate.sh. The names of the queries are the
// labels of scripts and stories.
package postgres
