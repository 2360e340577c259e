// Package search proposes runs: each rung of it is one way to look for a failure, says what its bound is and what it
// has not looked at. It makes no run itself and knows no server: whoever has a program makes the trials, on as many
// workers as it likes, and hands the outcomes back. Trials and outcomes are plain data, so they cross a process
// boundary.
//
//	rung.Next() ─▶ Trial ─▶ Trial.Decider(weights) ─▶ a run under sim.Kernel ─▶ Recording.Fill ─▶ Outcome ─▶ rung.Took()
//
// # The rungs
//
//	sweep       each single deviation of one plain run, one for each class of points; then pairs
//	exhaustive  each order of the moves of one workload, up to the order of independent ones, within bounds
//	random      every value by its hash and the program's weights, a seed a run
//	pct         priorities with a few change points, a seed a run
//	pos         a fresh priority at every conflict, a seed a run
//	ladder      all of them, each with its share
//
// # What is authoritative
//
// The deviations that a run used (Outcome.Used). However a run was decided, that set as a script replays it: nothing is
// drawn from a stream, each answer is a function of the seed, the address and what stood there. What is fitted to
// outcomes is fitted when a generation of trials is over, and outcomes are taken in the order of the trials; so how many
// workers there are never changes what is tried.
//
// # What is one class of a sweep
//
// A death takes with it all that its process knew and all that was not committed. So two deaths continue alike when at
// both the time is the same, the process has done the same for good (commits, calls, sequence values) and the others
// have moved equally far. A switch is told apart by whom it is from and to, and by the moves before it that touch anything.
// All else is a class of its own. That is a rule, not a proof: another member of every fourth class is run, and what
// all others than the dead saw is compared.
//
// # Why reduction loses nothing
//
// A move is what a task does from the gate where it stands to its next one. Two moves are dependent when one of them
// could notice that the other came first: they are of one process, whose tasks share memory that nobody sees, or one
// writes what the other reads or writes (sim.Footprint). A footprint may name too much, which costs runs. It must not
// name too little: sim/pg holds its footprints against the server's own locks, and the test of this argument (below)
// fails when one is cut down.
//
// Two independent moves that follow each other can change places: both were possible before, each does the same after
// the other as alone, and what comes after cannot tell. So orders fall into classes, within which only independent
// neighbours change places, and all orders of a class come to the same end: the same tables, the same answers to every
// task. One of each class is enough.
//
// Exhaustive begins with the plain run. In each run it looks for races: two moves of different tasks, dependent, with
// nothing between that carries the dependence from the first to the second, and the second not made possible by the
// first. Some class has them the other way round. It is reached from the state before the first move, by making what
// the first did not cause, up to and including the second. Who can make the first step of that are the race's initials.
// If none of them is tried from that state, or known to be tried elsewhere, one is added (a source set: from each state
// enough first moves that every class has a run that begins with one of them). That is repeated with each new run, until
// no race asks for more.
//
// A sleeper is a task whose going first from a state was looked at before another's. While nothing moves that its move depends
// on, going first now is the same as having gone first then, so it need not be tried again. A run in which only a sleeper
// could go on is redundant and is left there.
//
// That this reaches every class: take a class that can go on from a state, and of the tasks that are tried there the one
// that a run of the class can put off longest before something depends on it. The runs behind that task's edge are
// complete by the same argument (they have fewer moves to come), so one of them shows the race between that move and the
// one that depends on it; its initials were added; and one of them can be put off longer, or begins a run of the class.
// The order in which outcomes are taken decides who sleeps for whom, so two edges never wait for each other; that runs
// are made a generation at a time, not depth first, changes nothing in this.
//
// Four things are not like two threads at a variable:
//
//   - A statement that waits for a lock is two moves: it is sent, and it goes on when it was granted. The second has the
//     statement's footprint and was made possible by whoever let go; that pair has no other way round. The race is
//     between the two statements, and it is seen there.
//   - Who made a move possible is read off the run: after its move the task could go and before it could not. So grants,
//     events, permits, starts and joins need no footprint to be causes.
//   - Time moves only when nobody can. Moves of different instants never change places, whatever they touch. That time
//     moves although somebody could (a latency, sim.Config.Clock) is a deviation of its own, and no order.
//   - An end of a process lets go of its sessions: the move that ends it depends on everything. An end that closed what it
//     had does not.
//
// Holds (and what Options.Given names) are not orders. A set of them is a program of its own with a tree of its own;
// sets are made from what runs offer, the smallest first.
//
// # What a bound costs
//
// Depth: moves beyond it keep the plain order. Switches: a class is explored by one run of it, and another run of the
// class may need fewer switches; so within S switches reduction may leave out a class that some order of S switches
// belongs to. (On drawn programs of three and four processes, of the ends that full
// enumeration within S comes to: 25 % at S = 1, 39 % at S = 2, 8 % at S = 3, for 193, 557 and 189 runs instead of 709, 7514
// and 5397.) What is left
// is counted and told, and where no bound is given it is doubled until nothing is left: only then, or without a bound, is
// the argument whole. K (moves of one task in a row) shapes the plain run and bounds nothing here: every order is a
// deviation from it. Places at which nobody is asked (after a stalled process's grant, and once the run is healed) keep the
// plain order.
//
// The test of it: ten small programs, and drawn ones, on a real server, every order against reduced orders: the set of
// final tables and answers is the same, and so is the set of fingerprints.
//
// # What it does not promise
//
// No rung says "safe". A sweep speaks of one workload and of deviations of its plain run, an exhaustive search of the
// orders of one workload; the others estimate (Good and Turing) how likely the next run is one that was never seen.
//
// # How it fails
//
// A run that does not go the way it was sent is counted as astray: the program is not deterministic. A class of a sweep
// whose members did not continue alike is counted, told, and run to its end. A run that could not be checked counts as
// that and proves nothing.
package search
