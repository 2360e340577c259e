package engine

// The states of the three records, as ENGINE.md section 8 has them. The tables of their exits are in
// transition.go.
type (
	JobState        string
	IntentState     string
	CorrectionState string
)

const (
	JobReady     JobState = "ready"
	JobLeased    JobState = "leased"
	JobDone      JobState = "done"
	JobReview    JobState = "review"
	JobParked    JobState = "parked"
	JobDead      JobState = "dead"
	JobCancelled JobState = "cancelled"
)

const (
	IntentReady      IntentState = "ready"
	IntentHeld       IntentState = "held"
	IntentLeased     IntentState = "leased"
	IntentSubmitting IntentState = "submitting"
	IntentSent       IntentState = "sent"
	IntentRejected   IntentState = "rejected"
	IntentUnknown    IntentState = "unknown"
	IntentSuppressed IntentState = "suppressed"
	IntentReview     IntentState = "review"
	IntentParked     IntentState = "parked"
	IntentDead       IntentState = "dead"
	IntentGivenUp    IntentState = "given_up"
)

const (
	CorrectionProposed   CorrectionState = "proposed"
	CorrectionApproved   CorrectionState = "approved"
	CorrectionSubmitting CorrectionState = "submitting"
	CorrectionApplied    CorrectionState = "applied"
	CorrectionRejected   CorrectionState = "rejected"
	CorrectionUnknown    CorrectionState = "unknown"
	CorrectionRefused    CorrectionState = "refused"
	CorrectionSuperseded CorrectionState = "superseded"
	CorrectionParked     CorrectionState = "parked"
	CorrectionDead       CorrectionState = "dead"
)
