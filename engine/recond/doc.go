// Command recond is the production engine's program: what a deploy and an operator run. It links nothing of the harness.
//
//	recond migrate --dsn DSN | --config FILE    bring the database to this build's schema
//
// Exit codes: 0 done · 2 bad usage or configuration, named by file, line and field · 3 the database could not be
// reached, or refused.
package main
