// Package oracle judges what the engine did: independent checkers, one claim a file, over the rows of the database as
// text (pg.Tables), the world's own truth (world.Truth) and the history of the run.
//
//	Tables ──┐
//	Truth  ──┼──▶ Check ──▶ Finding{Checked, Violations}
//	History ─┘
//
// Nothing here imports the engine or runs its SQL: an oracle that read with the engine's types would inherit its
// mistakes. What a table holds is read from the column names of the migrations, and a text that is no number or time is
// a violation, never a zero.
//
// An oracle says how many things it looked at; 0 over a campaign is vacuous, so it counts only what could have been
// wrong. It judges the end of a run, and where it asks about moments it says so. A violation names the record, and what
// it costs in messages and money where it costs something.
//
// Each can damage a view on purpose so that it must object (Spoil): whoever runs oracles sees with it that they are awake.
//
// What it does not promise: that a run without a violation was right in everything; only in what the claims say.
package oracle
