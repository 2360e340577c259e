// Package simtest finds what breaks in a Go program on pgx when its processes overtake each other, die, stand still and
// lose their connections, and tells it in a few lines. The program runs unmodified but for its clock and its pool, on a
// real PostgreSQL server; package sim decides the order and what fails, package sim/pg stands on the wire.
//
//	func TestQueue(t *testing.T) {
//		simtest.Check(t, simtest.Program{
//			Schema: schema,
//			Start: func(r *simtest.Run) {
//				for _, name := range []string{"worker-1", "worker-2"} {
//					r.Process(name, func(ctx context.Context, p *sim.Process, db *pgxpool.Pool) error {
//						return queue.Worker(ctx, db, p) // p has Sleep, Spawn, WithTimeout …
//					})
//				}
//			},
//			Check: func(s *simtest.State) error {
//				return s.None("a job ran twice", `select job_id from sent group by job_id having count(*) > 1`)
//			},
//		})
//	}
//
// # A run
//
//	reset ─▶ Start ─▶ Lasts: faults strike ─▶ Check ─▶ Settles: nothing fails any more ─▶ Check (Settled)
//
// The first run goes in turn and without faults; it must pass, and it must be the same when it is made again. Then the
// rungs of package search go on until a bound is reached or a claim is broken. No weights need to be given.
//
// # A failure
//
// It is made again, shrunk to the fewest deviations that still break the same claim, told in at most ten lines, and
// written to testdata/simtest/<test>/<claim>.script. Check replays all files there before it searches, so a committed
// one is tried for ever; Replay does it for one file. -simtest.skeleton prints a test with the story above it,
// -simtest.for=10m searches longer, -simtest.seed draws others. Bench.Rapid is the same for who writes properties.
//
// # What the program must keep to
//
// Time, waiting and goroutines come from the *sim.Process: Now, Mono, Sleep, Spawn, WithTimeout, Event, Semaphore, ID. A
// goroutine started with `go` that reaches the database, or a wait that is none of these, ends the search with an error.
// The database's clock is simulated as well: recon.now(), and each unqualified now(), transaction_timestamp(),
// statement_timestamp() and clock_timestamp(), where the program leaves the database's search_path alone. now() is the
// time of its first call in a transaction. CURRENT_TIMESTAMP is refused on the wire and replaced in defaults of columns.
// What the wire does not carry (COPY, LISTEN, random(), timeouts set in SQL …) ends the search with the statement's text.
// Every table needs a primary key.
//
// # What it does not promise
//
// That nothing is wrong where nothing was found: Result.Told says what each rung looked at, and what it did not.
package simtest
