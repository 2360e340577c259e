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
	"provider-timeout-after":  "the payment provider had accepted the call, but its answer never came",
	"channel-timeout-before":  "a message channel timed out before it had accepted the message",
	"channel-timeout-after":   "a message channel had accepted the message, but its answer never came",
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
}

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
