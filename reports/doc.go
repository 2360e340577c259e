// Package reports has the events of a drill campaign, their journal, and what is rendered from it.
//
//	drills ── Start, Run, Mark, Summary ──▶ journal.jsonl ──▶ report.html · junit.xml · summary.md · failures/*.script
//
// The journal is the source of truth: one event a line, written while the campaign runs. The renderings read nothing
// else, so they can be made again from it at any time.
//
// A Folder writes all of it under temporary names and renames at the end: a folder never holds half a report, and a
// full disk is one error that names the file. A campaign that is killed leaves journal.jsonl.part, which reads like
// a journal, and ReopenFolder goes on with it. Two campaigns never write into one folder: the second one is refused.
//
// It is a leaf: plain structs, no imports of ours. It decides no run's verdict; it orders verdicts, counts them and
// knows their exit codes.
package reports
