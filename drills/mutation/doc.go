// Package mutation breaks the engine on purpose, one small change at a time, so that it can be measured how surely and
// how soon the drills notice. Nothing of it is in the product: a mutant is a set of changed source files, laid over the
// tree by the build (`go build -overlay`), so the engine holds no sabotage of its own.
//
// There are two origins:
//
//	mechanical   made here from the present sources: an operator is applied at every place where it fits (drop one
//	             condition of a WHERE, drop FOR UPDATE or SKIP LOCKED, drop ON CONFLICT DO NOTHING, shift < to <=, leave a
//	             fence where it was, drop a unique key, skip a guard), and a fixed number of places an operator is drawn by
//	             the hash of the mutant's name. Nobody chose them, and they follow the sources.
//	written      patches in testdata/mutants, each after a fault that a real system had (../shared/cases) or that we fear.
//
// A third of all, by the hash of the name, is held out: nobody looks at their results while plans, weights or oracles
// are tuned.
package mutation
