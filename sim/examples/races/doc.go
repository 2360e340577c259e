// Package races are five small mistakes with PostgreSQL that pass every ordinary test, each as people write it and each
// put right. Their tests have package simtest find the wrong ones and pass the right ones.
//
//	cap         count, then insert: the cap is overfilled
//	phantom     look whether the hour is free, then book it: it is booked twice
//	onconflict  ON CONFLICT DO NOTHING in a CTE, then read the row: it is not there
//	skiplocked  SKIP LOCKED found no row, so the work is done: a dead client still holds one
//	lostcommit  COMMIT got no answer, the row is absent, so pay again: the COMMIT was only late
package races
