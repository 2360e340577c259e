// Package pg is all that the simulation knows of PostgreSQL: a real server that is there for one run, and the gate on its
// wire where the kernel stands between the program and that server.
//
// # The server
//
// Open gives a Server in one of three ways, and all three agree on one table of settings (settings.go):
//
//	container   a Docker daemon and an image       data on tmpfs; Unix socket where the daemon shares our files
//	local       initdb and postgres found here     data on /dev/shm, else TMPDIR, copied from a fresh cluster that is kept in the
//	                                               user's cache directory (localdata.go); Unix socket only; never as root
//	given       somebody's DSN, marked for drills  databases recondrill_… of our own, the settings given to each of them
//
// A backend is stopped and let go on, so that a wait for a lock becomes a decision. Stop returns only when the process is
// in state T for certain. The way of the signal is the fastest that is open:
//
//	proc   this machine's pids, held by pidfd   local; container on this machine's own daemon, as root
//	exec   a shell kept open in the container   any other daemon
//	sql    COPY … TO PROGRAM                    a given server's superuser; without one there is no stop mode
//
// # The gate
//
// Sessions.Configure points a pgx pool at a net.Conn whose Write does a whole round trip: it waits at the kernel's gate
// (one for each flush that executes something), forwards, reads to the last ReadyForQuery, and leaves the answer in a
// buffer for Read. "The server has done it" is therefore a fact before the program learns of it, which makes every
// fault after it trivial: kill after, cut after, a late statement of a dead process, a COMMIT that lands after the
// reconnect. pgx's own background goroutines find nothing to do here and decide nothing.
//
// A flush may be sent in two parts with a gate between them (hold.go): what commits by itself, before its Sync; a SELECT that
// locks rows or calls functions, between Bind and Execute. Each gate says what its statement touches (footprint.go): the
// text's names (names.go) looked up in the catalogue (catalogue.go), followed through views, functions, triggers, foreign keys
// and partitions (touch.go). CheckFootprints holds that against the server's own locks.
//
// A client that vanishes leaves a session that the server gives up at once, or by decision later (noticed.go): it keeps its
// locks, and a statement that waited for one is carried out when it gets it. An administrator ends a backend for real
// (terminate.go). The server restarts, refuses writes, and is set back to what a standby had when the world says so
// (serveracts.go).
//
// Sessions outlive the connections of the program: what a dead process left open is rolled back and the session is
// given to the next one, with its prepared statements. A wait for a lock stops the backend and hands the decision
// when to let it go on to the kernel (lock.go). recon.now() reads a setting that the gate sends ahead of a flush when
// time has moved (clock.go). Statements that would bring in the server's own clock, chance or timers are refused by
// their text (refuse.go); a run that meets one proves nothing. Reset brings every table back to the snapshot and to
// the same physical state; Dump reads them all, found in the catalogue. Shake makes all differ that must make no difference.
//
//	a flush      gate ──▶ (held: first part ──▶ gate ──▶) server ──▶ answer
//	                │ cut, killed        │ waits: stopped, until granted and let go on
//	                ▼                    ▼
//	its session  noticed at once, or lingers ──▶ rolled back ──▶ warm again
//
// # Nothing is left behind
//
// Whatever is made bears its owner (place, pid, start time of the process) from the moment it exists: a directory and a
// database on a given server in their names, a container in a label. Close removes it; after a kill -9 the next Open does.
//
//	        Open                 Close
//	(none) ──────▶ owned, alive ───────▶ (none)
//	                    │ owner dies          ▲
//	                    ▼                     │
//	              owned, dead ── next Open ───┘
//
// What bears no owner, or one of another machine or pid namespace, is never touched. A local postmaster also ends by
// itself when we do (Linux), and stopped backends are woken first, because they would not hear that they have to go.
//
// # What is authoritative
//
// That a session waits is known from the server's own notice on that session; that it was granted its lock, from pg_locks;
// that a round trip is over, from ReadyForQuery. No timer decides anything inside a run: the bounds in this package only
// ever end an attempt with an error.
//
// # What is not promised
//
// LISTEN and NOTIFY; timers in SQL; SERIALIZABLE without SessionOptions.Serializable (refused, all of them). Footprints name
// relations, not rows, and of statements that build SQL as they run or change the catalogue, everything.
//
// Stop mode on a given server without superuser; the same plans on a given server whose start-up settings differ
// (shared_buffers, autovacuum); TLS on the wire; that a container is gone after kill -9 before some later run; that a
// daemon which stopped in the middle let us remove anything (Close then returns an error, and a later run sweeps).
// On macOS the local way is built but untested.
package pg
