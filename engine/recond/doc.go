// Command recond is the production engine's program: what a deploy and an operator run. It links nothing of the harness.
//
//	recond migrate      bring the database to this build's schema
//	recond ops status   whether the engine acts, what asks for a person, how many records are where
//	recond ops recover  after a failover or a restore: since when acts may be lost, and act again
//	recond ops approve  let a proposed correction be carried out
//
// Each takes --dsn DSN or --config FILE; those under ops print one JSON object with --json.
//
// Exit codes: 0 done · 2 bad usage or configuration, named by file, line and field, or an act that is refused, with what
// would be accepted · 3 the database could not be reached, or refused.
package main
