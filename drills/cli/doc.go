// Package cli is the command line of recondrill: flags, signals, progress, and what stands on the screen at the end. One
// command a file; what a command does is in package drills.
//
//	stdout   what was asked for: a summary, or with --json one object a line and nothing else
//	stderr   progress and talk, and one line where something is wrong
//
// Exit codes: 0 pass, 1 violation, 2 bad usage or input (nothing was done), 3 could not be checked, 4 nondeterministic,
// 5 vacuous. The first Ctrl-C stops after the runs under way and reports them; what would have been green is then an
// error, because it was not all tried. The second one kills; one that comes
// within a second of the first is the same one. A server that answers nothing any more is left behind after a few seconds,
// and named. drill --resume goes on from where a campaign was interrupted.
package cli
