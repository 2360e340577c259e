package reports

// faultWords says in plain words what a fault kind does; a kind not listed is shown by its name alone.
var faultWords = map[string]string{
	"duplicate-tick":          "a clock fired twice for one slot",
	"early-tick":              "a clock fired before its slot",
	"late-tick":               "a clock fired late",
	"missing-tick":            "a clock did not fire at all",
	"crash":                   "a process died in the middle of its work",
	"late-statement":          "a process died, and its last statement still reached the database afterwards",
	"stall":                   "a process stood still for longer than its lease and then went on",
	"expired-lease":           "a worker's claim ran out while it was working, and another took over",
	"provider-timeout-before": "the payment provider timed out before it had accepted the call",
	"provider-timeout-after":  "the payment provider took the call, at once or later, and its answer never came",
	"channel-timeout-before":  "a message channel timed out before it had accepted the message",
	"channel-timeout-after":   "a message channel took the message, at once or later, and its answer never came",
	"letters-full":            "the dead-letter lane was full when a record gave up",
	"cut-before":              "the database connection broke before a statement arrived",
	"cut-after":               "the database connection broke after a statement had run, before its answer",
	"commit-late":             "a COMMIT got no answer and took effect only after the reconnect",
	"skew":                    "a host's wall clock was wrong",
	"throttled":               "the outside asked to slow down",
	"pending":                 "the outside had no final answer yet",
	"unavailable":             "the outside could not be reached",
	"failed":                  "the outside failed, and surely did nothing",
	"rejected":                "the outside refused for good",
	"truncated-statement":     "a provider's statement came incomplete",

	"dst-gap":               "a slot's local time did not exist that night",
	"dst-repeat":            "a slot's local time came twice that night",
	"wall-step":             "a host's wall clock was set while it worked",
	"mono-drift":            "a host's clock ran too fast or too slow",
	"database-step":         "the database's clock was set while everybody worked",
	"same-name":             "a process was started again under its name while its old claims still stood",
	"slow-drain":            "a process that was told to go went on beside its successor",
	"two-versions":          "two versions of the program worked at once",
	"suspend":               "a machine slept, its clocks with it, and another took over meanwhile",
	"delay":                 "one step took long, and others went on meanwhile",
	"cut-during":            "the database connection broke while a statement waited for a lock",
	"commit-lost":           "a COMMIT got no answer, and nobody could tell whether it counted",
	"completes-anyway":      "a statement was given up at its deadline and took effect all the same",
	"not-sent":              "a statement was given up at its deadline before it had been sent",
	"lingering-locks":       "the server noticed late that a process had died, and kept its locks as long",
	"slow-commit":           "the server took long to commit what it had done, and kept its locks as long",
	"deadlock":              "the server ended a statement because two waited for each other",
	"serialization-failure": "the server refused a transaction because of another one",
	"unique-violation":      "two wrote the same key, and the later one was refused",
	"backend-killed":        "an administrator ended a connection on the server",
	"pool-exhausted":        "a process had no connection left and waited for one",
	"server-restart":        "the database server was restarted",
	"read-only":             "the database refused to be written to",
	"lost-tail":             "a standby took over that lacked the last commits",
	"restore":               "the database was set back to a backup",
	"throttled-bare":        "the outside asked to slow down and did not say for how long",
	"other-answer":          "the outside gave another answer for a key than before",
	"key-forgotten":         "the outside forgot a key, and would act again under it",
	"empty-statement":       "a provider's statement came with nothing in it",
	"page-shift":            "a provider's rows moved while they were read page by page",
	"callback-late":         "a callback came late",
	"callback-doubled":      "a callback came twice",
	"callback-reordered":    "a callback came after a younger one",
	"callback-early":        "a callback came before its caller had gone on",
	"callback-nameless":     "a callback came without its id first",
	"answer-late":           "an answer of the database was long on its way",
	"answer-lost":           "the outside acted, and the connection broke before its answer",
	"contact-invalid":       "a channel refused a contact for good",
	"bounce":                "a message was accepted and came back",
	"outage":                "a service was down for a while",
	"delayed-ack":           "our answer to a callback came too late, and it came again",
	"poison-message":        "one message or statement failed whenever it was tried",
	"redrive-twice":         "somebody redrove a record twice",
	"redrive-all":           "somebody redrove everything there was",
	"approve-stale":         "somebody approved by a page that was out of date",
	"forgotten-pause":       "somebody stopped something and forgot it",
}

// FaultWords says in plain words what a fault kind does; empty for a name that is not known.
func FaultWords(kind string) string { return faultWords[kind] }

// oracleWords says in plain words what each oracle watches over, and what else a violation is found by.
var oracleWords = map[string]string{
	"effects":         "what happened outside is what is on record, and nothing happened twice",
	"dunning":         "nobody is reminded of what is paid or in doubt",
	"reconciled-once": "an account and window are reconciled once",
	"intent-once":     "one reminder is decided once",
	"step-once":       "a planned reminder of an invoice is covered once",
	"slot-once":       "a slot of the schedule is admitted once",
	"fence":           "who lost a claim writes nothing any more",
	"slot-kept":       "every slot that has come is admitted",
	"lease-kept":      "nobody takes what another holds, who goes leaves nothing held, and of an account one job is held at a time",
	"one-text":        "under one key one text is sent",
	"breaks":          "a difference stands until something ended it",
	"account":         "what belongs together is one account's",
	"owed":            "a reminder covers only what was owed",
	"noted":           "a channel's receipts are on record as they came",
	"last-line":       "the database's constraints are never what says no",
	"covered":         "a call is made only while it fits into its lease",
	"lease-over":      "a lease is over in the instant in which it ends",
	"together":        "what belongs together was committed together",
	"submitting":      "no call to the outside is made again blindly",
	"residual":        "what the provider has more than the ledger is explained to the last unit",
	"planted":         "the differences found are the differences that are there",
	"zero-sum":        "every posting in the ledger sums to zero",
	"append-only":     "what was booked or recorded stays as it was",
	"conservation":    "no window, record or state goes missing between the books",
	"letters":         "a dead-letter lane counts its letters and never holds more than it may",
	"lane-full":       "whoever is parked because a lane is full is heard of",
	"dead-undone":     "what may have acted is never a dead letter",
	"told":            "who says that nothing was committed knows it",
	"unwanted":        "nobody is written to who wants nothing, and nothing begins that a person has stopped",
	"rooms-apart":     "delivery never calls the provider, reconciliation never sends",
	"corrected":       "ledger, breaks and corrections tell one story",
	"act-once":        "no two acts of persons saw one version of a record",
	"overruled":       "what a person settled is not written over by who held it before",
	"caps":            "above a cap nothing happens without a person, and a person is asked for nothing that is above none",
	"advised":         "what is left to a person waits for the person",
	"shown":           "whatever is not at its end is in the list of what is not",
	"settled":         "when the faults stop, everything comes to rest",
	"livelock":        "things go on happening and time does not",
	"stuck":           "nothing can happen any more",
	"fact":            "what this drill promises besides must hold at its end",
	"advice":          "what the engine advises can be carried out",
}

// OracleWords says in plain words what an oracle watches over; empty for a name that is not known.
func OracleWords(oracle string) string { return oracleWords[oracle] }

const (
	// ColumnWords explains the columns of the table of drills.
	ColumnWords = "Different: runs that differ in the order of what conflicts, or in what came of it, times ignored. Simulated: summed over the runs. Wall: summed over the servers."
	// faultNote stands under the list of faults.
	faultNote = "One act can bite as two kinds: a stall that outlasts a lease is also an expired-lease."
)

// Words says in one sentence what a verdict means.
func (v Verdict) Words() string { return verdictWords[v] }

// verdictWords is one sentence a verdict for the top of a report.
var verdictWords = map[Verdict]string{
	Pass:             "Nothing was lost and nothing happened twice.",
	Vacuous:          "Nothing broke, but some of it was not really put to the test.",
	Violation:        "A promise broke.",
	Nondeterministic: "The same script ran in two ways, so no result can be trusted until that is explained.",
	Error:            "It could not be checked. This is not a pass.",
}
