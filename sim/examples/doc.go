// Package examples holds programs that are not ours under the simulation of packages sim and sim/pg, by way of
// sim/simtest:
//
//	queue  a job queue as people write it: a job runs twice, a job is left behind; and the same put right
//	races  five mistakes with PostgreSQL of a few lines each, and the same put right
//	river  a public library, github.com/riverqueue/river, at a version with a known race and at the last one (a module of
//	       its own, so that nobody else depends on it)
package examples
