// Package ops is what a person may do to a record, one act a file, as functions.
//
// Every act names the version that the person saw. A record that moved meanwhile is left alone and answered with a
// *MovedError; a state that has no such exit for a person with ErrNotAllowed. What is done and its audit entry commit
// together.
//
// What the acts do not ask is whether they are wise: Advise says which one act is safe for a record as it is stored,
// and which are not. Do carries an advice out.
//
//	Unsettled ─▶ Advise ─▶ Do ─▶ audit
//
// After a failover or a restore nothing acts outside until a person has said, by Recover, since when acts may be lost;
// Standing tells which existence of the database the server is, and whether it acts.
//
// A lost answer leaves it open whether an act was done; the version tells, so an act that is tried again at the version
// seen before is never done twice.
package ops
