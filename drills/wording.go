package drills

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// act is a statement in the words of the domain, %s being the record.
type act struct {
	doing  string // "dies before …"
	did    string // "worker-1 …"; empty where it says nothing of one record
	fenced bool   // it answers no row where the claim is no longer the last one
}

// acts are the statements that people know by what they do. A statement that is not here is called by its name.
var acts = map[string]act{
	"ClaimJobs":   {"claiming jobs", "claims %s", false},
	"BeginJob":    {"beginning %s", "", true},
	"RenewJob":    {"renewing its lease of %s", "", true},
	"FinishJob":   {"finishing %s", "finishes %s", true},
	"HandBackJob": {"handing back %s", "hands back %s", true},
	"RetryJob":    {"giving %s another try", "gives %s another try", true},
	"ReviewJob":   {"giving %s to a person", "gives %s to a person", true},
	"BuryJob":     {"burying %s", "buries %s", true},

	"ClaimIntents":    {"claiming reminders", "claims %s", false},
	"LockIntent":      {"locking %s", "", false},
	"SubmitIntent":    {"writing down that it will send %s", "writes down that it will send %s", true},
	"FinishIntent":    {"recording what came of %s", "records what came of %s", true},
	"HandBackIntents": {"handing back reminders", "hands back %s", true},
	"BuryIntent":      {"burying %s", "buries %s", true},
	"ReadBackIntent":  {"reading back %s", "reads back %s", false},
	"MoveIntent":      {"acting on %s", "acts on %s", false},
	"SettleHeld":      {"looking at what is held", "settles %s", false},
	"CreateIntents":   {"deciding who is reminded", "", false},

	"ClaimCorrections":    {"claiming corrections", "claims %s", false},
	"LockCorrection":      {"locking %s", "", false},
	"SubmitCorrection":    {"writing down that it will carry out %s", "writes down that it will carry out %s", true},
	"FinishCorrection":    {"recording what came of %s", "records what came of %s", true},
	"HandBackCorrections": {"handing back corrections", "hands back %s", true},
	"BuryCorrection":      {"burying %s", "buries %s", true},
	"ReadBackCorrection":  {"reading back %s", "reads back %s", false},
	"MoveCorrection":      {"acting on %s", "acts on %s", false},
	"MoveJob":             {"acting on %s", "acts on %s", false},

	"LockJob":              {"asking what became of its COMMIT for %s", "", false},
	"EnvelopeOf":           {"asking for the envelope of %s", "", false},
	"LoadAccount":          {"loading the books for %s", "", false},
	"OpenRows":             {"asking what is open at the provider for %s", "", false},
	"OpenItems":            {"asking what is open in the ledger for %s", "", false},
	"BookedKeys":           {"asking what is booked already for %s", "", false},
	"InvoicesByReference":  {"asking for the invoices of %s", "", false},
	"UnresolvedBreaks":     {"asking which breaks of %s are open", "", false},
	"DueSteps":             {"asking which reminders are due in %s", "", false},
	"RecordRows":           {"storing the statement of %s", "", false},
	"BookTransactions":     {"booking for %s", "", false},
	"BookedPostings":       {"comparing what is booked for %s", "", false},
	"UpdateInvoices":       {"updating the invoices of %s", "", false},
	"RecordBreaks":         {"recording the breaks of %s", "", false},
	"AutomaticToday":       {"asking what policy approved today for %s", "", false},
	"ProposeCorrections":   {"proposing corrections for %s", "", false},
	"CorrectionFact":       {"asking what to book for %s", "", false},
	"ResolveBreak":         {"resolving the break of %s", "", false},
	"DropPairs":            {"dropping what was paid from %s", "", false},
	"AdoptAct":             {"taking over what was sent of %s before", "", false},
	"LostIntentKeys":       {"asking what may have been lost of %s", "", false},
	"NextCorrection":       {"asking anew for %s", "", false},
	"CloseBreak":           {"closing a break", "", false},
	"NoteReview":           {"noting a review of %s", "", false},
	"RaiseAlarms":          {"raising an alarm", "", false},
	"ClearAlarm":           {"clearing an alarm", "", false},
	"MarkContact":          {"marking a contact", "", false},
	"SentByReceipt":        {"looking for whose receipt it is", "", false},
	"Alarms":               {"looking at the alarms", "", false},
	"SetLaneCapacity":      {"setting what a lane holds", "", false},
	"Conserve":             {"counting whether all is there", "", false},
	"UnsettledJobs":        {"looking for jobs that need somebody", "", false},
	"UnsettledIntents":     {"looking for reminders that need somebody", "", false},
	"UnsettledCorrections": {"looking for corrections that need somebody", "", false},
	"Existence":            {"asking whether the server is the same", "", false},
	"NoticeIncarnation":    {"noting that the server is another one", "", false},
	"Recover":              {"letting the server act again", "", false},
	"Pause":                {"pausing something", "", false},
	"Resume":               {"ending a pause", "", false},

	"AdmitBatch":     {"admitting a slot", "", false},
	"ReadAdmission":  {"reading back an admission", "", false},
	"Watermark":      {"asking which slot is next", "", false},
	"OpenNight":      {"opening the night", "", false},
	"TurnNight":      {"turning the night", "", false},
	"Beat":           {"its heartbeat", "", false},
	"RegisterMember": {"registering itself", "", false},
	"Deregister":     {"signing off", "", false},
	"LockBooks":      {"locking the books", "", false},
	"LockInvoices":   {"locking the invoices", "", false},
	"RecordReceipt":  {"recording a receipt", "", false},
}

// about puts the record into a phrase that has a place for it.
func about(phrase, id string) string {
	if !strings.Contains(phrase, "%s") {
		return phrase
	}
	if id == "" {
		id = "a record"
	}
	return fmt.Sprintf(phrase, thing(id))
}

// thing is a record in words, by its id: a reminder is called after its contact, a correction after what it corrects, a
// job is its account and window.
func thing(id string) string {
	part := strings.Split(id, "/")
	switch {
	case len(part) == 5 && part[2] == "reminder":
		return fmt.Sprintf("the %s reminder to %s", part[3], part[4])
	case len(part) == 7:
		return fmt.Sprintf("the %s for %s of %s", correctionWords(part[5]), part[4], part[0])
	}
	return id
}

func correctionWords(kind string) string {
	if kind == "refund" {
		return "refund"
	}
	return kind + " correction"
}

// inHand is the record that a task works on, by what it was answered last or by its name; empty where it has none.
func (r *records) inHand(a sim.Actor) string {
	if key, ok := r.hand[a]; ok {
		return key
	}
	if strings.Contains(a.Task, "/") && !strings.HasSuffix(a.Task, "/drain") {
		return a.Task
	}
	return ""
}

// inWords says one deviation as a person on call would; hand is the record that its task works on.
func inWords(d sim.Deviation, hand string) string {
	who := d.At.Actor.Process
	where := doing(d.At, hand)
	text := d.Value.String()
	switch d.Class {
	case sim.Then:
		return instead(d, hand)
	case sim.Hold:
		d.At.Label = d.At.Label[strings.LastIndexByte(d.At.Label, ' ')+1:] // without the step: the value says it
		return held(who, doing(d.At, hand), text)
	case sim.Latency:
		return slow(d, where)
	case sim.Outcome:
		return asked(d)
	}
	arg := d.Value.Arg
	for _, p := range breaks {
		if rest, ok := p.matches(text); ok {
			return strings.NewReplacer("{who}", who, "{where}", where, "{arg}", rest).Replace(p.words)
		}
	}
	if arg == "" {
		arg = text
	}
	return fmt.Sprintf("%s at %s: %s", who, where, text)
}

// breaking is a value of class fault in words.
type breaking struct {
	value string // with a star at its end: what stands there is {arg}
	words string
}

func (b breaking) matches(text string) (arg string, ok bool) {
	if prefix, open := strings.CutSuffix(b.value, "*"); open {
		return strings.CutPrefix(text, prefix)
	}
	return "", text == b.value
}

var breaks = []breaking{
	{"kill before", "{who} dies before {where}"},
	{"kill after", "{who} dies right after {where}"},
	{"late statement", "{who} dies at {where}, and its bytes reach the server later"},
	{"cut before", "{who} loses its connection before {where}"},
	{"cut after", "{who} loses its connection after {where}: it was done, and no answer comes"},
	{"cut waiting", "{who} loses its connection while it waits at {where}"},
	{"commit late *", "{who} loses its connection at {where}, which lands {arg} later"},
	{"answer late *", "{who} hears the answer to {where} {arg} late"},
	{"terminated before", "the server ends the connection of {who} before {where}"},
	{"terminated after", "the server ends the connection of {who} after {where}: it was done, and no answer comes"},
	{"stall *", "{who} stands still for {arg} before {where}"},
	{"suspend *", "{who}'s machine sleeps for {arg} before {where}, and its clock with it"},
	{"duplicate *", "{who} fires {where} twice, {arg} apart"},
	{"early *", "{who} fires {where} {arg} early"},
	{"late *", "{who} fires {where} {arg} late"},
	{"missing", "{who} never fires {where}"},
	{"skew -*", "{who}'s clock is {arg} behind"},
	{"skew *", "{who}'s clock is {arg} ahead"},
	{"wall step -*", "{who}'s clock is set back by {arg}"},
	{"wall step *", "{who}'s clock is set on by {arg}"},
	{"drift *", "{who}'s clock drifts by {arg}"},
	{"database step -*", "the database's clock is set back by {arg}"},
	{"database step *", "the database's clock is set on by {arg}"},
	{"drain *", "{who} is told to go and takes {arg} for it, beside its successor"},
	{"version previous", "{who} runs the version before"},
	{"restart", "the database server is restarted"},
	{"read-only *", "the database refuses to be written to for {arg}"},
	{"failover *", "a standby takes over that lacks the last {arg}"},
	{"restore *", "the database is set back to what it was {arg} before"},
	{"callback late *", "{who}'s callback comes {arg} late"},
	{"callback doubled *", "{who}'s callback comes twice, {arg} apart"},
	{"callback reordered *", "{who}'s callback comes {arg} later, after younger ones"},
	{"callback early", "{who}'s callback comes before its caller goes on"},
	{"callback nameless *", "{who}'s callback comes without its id, and {arg} later as it should be"},
	{"ack late *", "our thanks for {who}'s callback come too late, and {arg} later it comes again"},
	{"bounced", "{who} says that the message bounced"},
	{"redrive twice", "somebody clicks a redrive twice"},
	{"redrive everything", "somebody redrives everything there is"},
	{"approve stale", "somebody approves by a page that is out of date"},
	{"pause forgotten", "somebody pauses something and forgets it"},
}

// instead says who went first instead of whom.
func instead(d sim.Deviation, hand string) string {
	next := processOf(d.Value.String())
	switch {
	case d.At.Actor.Process == "clock":
		return fmt.Sprintf("of those who are due at this instant, %s goes first", next)
	case d.At.Actor.Life < 0:
		return fmt.Sprintf("%s goes before %s", next, d.At.Actor.Process)
	}
	return fmt.Sprintf("%s waits before %s, and %s goes first", processOf(d.At.Actor.String()), doing(d.At, hand), next)
}

func held(who, where, text string) string {
	switch text {
	case "deadlines last":
		return "all else that is due at this instant comes before the deadlines that end at it"
	case "sync":
		return fmt.Sprintf("%s has carried out %s, and others go on before it is committed", who, where)
	}
	return fmt.Sprintf("%s has its snapshot for %s, and others go on before it runs", who, where)
}

func slow(d sim.Deviation, where string) string {
	who, text := d.At.Actor.Process, d.Value.String()
	if d.At.Label == "noticed" {
		return fmt.Sprintf("the server notices only %s later that %s is gone, and keeps its locks as long", text, who)
	}
	if text == "next timer" {
		text = "until the next timer"
	}
	return fmt.Sprintf("%s takes %s before %s", who, text, where)
}

// asked tells what came of a call to the outside, or of a statement at its deadline.
func asked(d sim.Deviation) string {
	who, outcome := d.At.Actor.Process, d.Value.String()
	if d.At.Actor.Life >= 0 {
		return fmt.Sprintf("%s gives up on a statement (%s): %s", who, doing(d.At, ""), outcome)
	}
	request := requested(d.At.Label)
	if d.At.Nth > 1 {
		request += fmt.Sprintf(" (asked for the %s time)", ordinal(d.At.Nth))
	}
	for _, a := range answers {
		if rest, ok := a.matches(outcome); ok {
			return strings.NewReplacer("{who}", who, "{request}", request, "{arg}", rest).Replace(a.words)
		}
	}
	return fmt.Sprintf("%s answers %s: %s", who, request, outcome)
}

var answers = []breaking{
	{"timeout, no effect", "{who} never gets {request}, and the caller can't tell"},
	{"timeout, effect now", "{who} carries out {request}, and its answer is lost"},
	{"timeout, effect later *", "{who} gives no answer to {request} and carries it out {arg} later"},
	{"answer lost", "{who} carries out {request}, and the connection breaks before its answer"},
	{"throttled *", "{who} puts off {request} for {arg}"},
	{"throttled", "{who} puts off {request} and does not say for how long"},
	{"pending", "{who} has no final answer to {request} yet"},
	{"pending *", "{who} has no final answer to {request} for {arg}"},
	{"failed", "{who} fails at {request}, and surely did nothing"},
	{"rejected", "{who} refuses {request} for good"},
	{"contact invalid", "{who} refuses {request} for good: there is no such contact"},
	{"other answer", "{who} gives another answer to {request} than before, under the same key"},
	{"unavailable", "{who} can't be reached with {request}"},
	{"outage *", "{who} is down for {arg}, from {request} on"},
	{"poison", "{who} fails at {request} whenever it is asked"},
	{"truncated", "{who} answers {request} with half of it"},
	{"truncated *", "{who} answers {request} with half of it"},
	{"empty", "{who} answers {request} with nothing in it"},
	{"page shift", "the rows of {who} shift while {request} is read page by page"},
}

// requested is a call in words.
func requested(label string) string {
	what, args, _ := strings.Cut(strings.TrimSuffix(label, ")"), "(")
	about := strings.Split(args, ",")
	switch {
	case what == "send":
		return "the message to " + about[0]
	case what == "refund" && len(about) > 1:
		return fmt.Sprintf("the refund of %s on %s", about[1], about[0])
	case what == "statement" && len(about) > 1:
		return fmt.Sprintf("the statement of %s for %s", about[0], about[1])
	case what == "look-up":
		return "the question about " + args
	}
	return label
}

// whose says for which record something is done that names none.
func whose(words, hand string) string {
	if hand == "" {
		return words
	}
	return words + " for " + thing(hand)
}

// halfway is how far a statement is that was begun.
var halfway = map[string]string{"sync": "done and not committed", "wait": "in the queue for its lock", "execute": "as it saw the database before"}

// doing is what an address is about, in words where there are some; the occurrence is said from the second on.
func doing(a sim.Address, hand string) string {
	label := strings.TrimPrefix(a.Label, "sql:")
	words := label
	switch {
	case label == "begin":
		words = whose("opening a transaction", hand)
	case label == "commit":
		words = whose("COMMIT", hand)
	case label == "rollback":
		words = whose("ROLLBACK", hand)
	case label == "start":
		words = "the start of its task " + a.Actor.Task
	case label == "sleep":
		words = "its next pause"
	case strings.HasPrefix(label, "call:"):
		service, call, _ := strings.Cut(strings.TrimPrefix(label, "call:"), " ")
		words = fmt.Sprintf("asking %s for %s", service, requested(call))
	case strings.HasPrefix(label, "sync "), strings.HasPrefix(label, "wait "), strings.HasPrefix(label, "execute "):
		step, statement, _ := strings.Cut(label, " ")
		words = fmt.Sprintf("%s (%s)", doing(sim.Address{Actor: a.Actor, Label: statement}, hand), halfway[step])
	case strings.HasPrefix(label, "tick "):
		words = "the tick of " + strings.TrimPrefix(label, "tick ")
	case acts[label].doing != "":
		words = about(acts[label].doing, hand)
	}
	if a.Nth > 1 && !strings.HasPrefix(a.Label, "tick ") {
		words += fmt.Sprintf(" (the %s time)", ordinal(a.Nth))
	}
	return words
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

func processOf(actor string) string {
	process, task, ok := strings.Cut(actor, "/")
	name, _, _ := strings.Cut(process, "#")
	if !ok {
		return name
	}
	if task == "main" {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, thing(task))
}

// standing is who stands somewhere for the most times, in words: of what turns for ever, the one that turns.
func standing(lines []string) string {
	most, words := -1, ""
	for _, line := range lines {
		for how, said := range map[string]string{" stands at ": "is before", " waits at ": "waits at", " is blocked in the server at ": "waits for a lock at"} {
			who, place, ok := strings.Cut(line, how)
			if !ok {
				continue
			}
			if at, err := sim.ParseAddress(who + " " + place); err == nil && at.Nth > most {
				most, words = at.Nth, fmt.Sprintf("%s %s %s", processOf(who), said, doing(at, newRecords().inHand(at.Actor)))
			}
		}
	}
	return words
}

var (
	anActor = regexp.MustCompile(`[\w.-]+#\d+/[\w./-]+`)
	aCall   = regexp.MustCompile(`call:(\S+) (\w[\w-]*\([^)]*\))`)
)

// inPlainWords says what an oracle found without the kernel's names of tasks and calls.
func inPlainWords(text string) string {
	text = aCall.ReplaceAllStringFunc(text, func(call string) string {
		part := aCall.FindStringSubmatch(call)
		return fmt.Sprintf("to %s for %s", part[1], requested(part[2]))
	})
	return anActor.ReplaceAllStringFunc(text, processOf)
}
