package advice

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// terms are all kinds of outside: what it promises about keys and look-ups.
func terms() []engine.Terms {
	var all []engine.Terms
	for _, keyed := range []bool{false, true} {
		for _, lookUp := range []bool{false, true} {
			all = append(all, engine.Terms{Keyed: keyed, LookUp: lookUp, KeyRetention: 24 * time.Hour,
				Settling: 10 * time.Minute, CallTimeout: 30 * time.Second})
		}
	}
	return all
}

var bools = []bool{false, true}

func word(is bool, s string) string {
	if is {
		return s
	}
	return ""
}

// ages of the first submission: within retention, just past the last safe instant, long past it.
var ages = []time.Duration{time.Minute, 24*time.Hour - 30*time.Second, 48 * time.Hour}

// doubts are what a failover may have lost of a record: nothing, or its act, whose key is still or no more remembered.
var doubts = []engine.Lost{{}, {Since: noon.Add(-time.Hour), Until: noon}, {Since: noon.Add(-25 * time.Hour), Until: noon}}

func everyIntent(visit func(IntentFacts)) {
	for _, state := range engine.IntentStates() {
		for _, tm := range terms() {
			for _, age := range ages {
				for bits := range 128 {
					for _, lost := range doubts {
						visit(IntentFacts{State: state, Version: 7, Now: noon, LeaseUntil: noon.Add(time.Minute),
							SubmittedAt: noon.Add(-age), Terms: tm, Lost: lost,
							Paused: word(bits&1 != 0, "maintenance"), Ended: word(bits&2 != 0, "paid"),
							Doubt: word(bits&4 != 0, "open break"), ContactChanged: bits&8 != 0, Deaths: bits >> 4 & 1 * DeathsMax,
							ResendRefused: bits&32 != 0, PartEnded: word(bits&64 != 0, "in_1 paid")})
					}
				}
			}
		}
	}
}

func everyCorrection(visit func(CorrectionFacts)) {
	kinds := []engine.CorrectionKind{engine.CorrectionPosting, engine.CorrectionTask, engine.CorrectionRefund}
	for _, state := range engine.CorrectionStates() {
		for _, kind := range kinds {
			for _, tm := range terms() {
				for _, age := range ages {
					for bits := range 64 {
						for _, lost := range doubts {
							visit(CorrectionFacts{State: state, Kind: kind, Version: 7, Now: noon, SubmittedAt: noon.Add(-age), Terms: tm, Lost: lost,
								Paused: word(bits&1 != 0, "maintenance"), BreakOpen: bits&2 != 0, OtherInDoubt: bits&4 != 0,
								OverCap: word(bits&8 != 0, "share of rows"), Deaths: bits >> 4 & 1 * DeathsMax, ResendRefused: bits&32 != 0})
						}
					}
				}
			}
		}
	}
}

func wellFormed(t *testing.T, a Advice) {
	t.Helper()
	require.Contains(t, Acts(), a.Act)
	require.EqualValues(t, 7, a.Version)
	require.NotEmpty(t, a.Why)
	for _, u := range a.Unsafe {
		require.NotEqual(t, a.Act, u.Act, "an act is both safe and unsafe")
		require.Contains(t, Acts(), u.Act)
		require.NotEmpty(t, u.Why)
	}
}

// exits are the states an act can lead to; a state is left only along its table.
var intentExits = map[Act][]engine.IntentState{
	Redrive: {engine.IntentReady}, ReleaseHold: {engine.IntentReady}, Suppress: {engine.IntentSuppressed},
	GiveUp: {engine.IntentGivenUp}, ResendSameKey: {engine.IntentSubmitting},
	LookUp: {engine.IntentSent, engine.IntentRejected, engine.IntentReady},
}

func TestIntent_EveryStateHasOneActThatItsTableAllows(t *testing.T) {
	everyIntent(func(f IntentFacts) {
		a := Intent(f)
		wellFormed(t, a)
		for _, to := range intentExits[a.Act] {
			require.True(t, engine.MayTake(engine.Intents(), f.State, to, engine.RolePerson) ||
				a.Act == LookUp, "%s: %s leads to %s", f.State, a.Act, to)
		}
		require.NotContains(t, []Act{Approve, Refuse}, a.Act)
	})
}

func TestIntent_UnknownIsNeverSentBlindly(t *testing.T) {
	everyIntent(func(f IntentFacts) {
		if f.State != engine.IntentUnknown {
			return
		}
		a := Intent(f)
		require.NotEqual(t, Redrive, a.Act)
		require.NotEqual(t, Nothing, a.Act)
		if f.Lost.Any() && (!f.Terms.LookUp || f.Lost.Since.Before(noon.Add(-f.Terms.KeyRetention))) {
			require.Equal(t, Review, a.Act, "nobody but a person can tell")
			return
		}
		if f.Terms.LookUp {
			require.Equal(t, LookUp, a.Act)
			from := f.SubmittedAt
			if f.Lost.Any() {
				from = f.Lost.Until
			}
			require.Equal(t, from.Add(f.Terms.Settling), a.Until)
			return
		}
		remembered := f.Terms.Keyed && f.Now.Add(f.Terms.CallTimeout).Before(f.SubmittedAt.Add(f.Terms.KeyRetention))
		if a.Act == ResendSameKey {
			require.True(t, remembered)
			require.False(t, f.ResendRefused, "it gets the same answer")
			require.Empty(t, f.Paused+f.Ended+f.PartEnded+f.Doubt)
		}
		if !remembered {
			require.Equal(t, GiveUp, a.Act)
		}
	})
}

func TestIntent_NobodyIsRemindedOnDoubtOrAfterPaying(t *testing.T) {
	everyIntent(func(f IntentFacts) {
		if f.Ended+f.Doubt+f.Paused == "" {
			return
		}
		require.NotContains(t, []Act{Redrive, ReleaseHold, ResendSameKey}, Intent(f).Act, "%+v", f)
	})
}

func TestIntent_WhatMaySendIsLeftAlone(t *testing.T) {
	everyIntent(func(f IntentFacts) {
		if f.State == engine.IntentSubmitting || f.State == engine.IntentLeased {
			require.Equal(t, Wait, Intent(f).Act)
		}
	})
}

var correctionExits = map[Act][]engine.CorrectionState{
	Redrive: {engine.CorrectionApproved}, Approve: {engine.CorrectionApproved}, Refuse: {engine.CorrectionRefused},
	ResendSameKey: {engine.CorrectionSubmitting},
	LookUp:        {engine.CorrectionApplied, engine.CorrectionRejected, engine.CorrectionApproved},
}

func TestCorrection_EveryStateHasOneActThatItsTableAllows(t *testing.T) {
	everyCorrection(func(f CorrectionFacts) {
		a := Correction(f)
		wellFormed(t, a)
		for _, to := range correctionExits[a.Act] {
			require.True(t, engine.MayTake(engine.Corrections(), f.State, to, engine.RolePerson), "%s: %s → %s", f.State, a.Act, to)
		}
		require.NotContains(t, []Act{ReleaseHold, Suppress, GiveUp}, a.Act)
	})
}

func TestCorrection_UnknownIsNeverPaidOutBlindly(t *testing.T) {
	everyCorrection(func(f CorrectionFacts) {
		if f.State != engine.CorrectionUnknown {
			return
		}
		a := Correction(f)
		require.Contains(t, []Act{LookUp, ResendSameKey, Wait, Review}, a.Act)
		forgotten := f.Lost.Any() && f.Lost.Since.Before(noon.Add(-f.Terms.KeyRetention))
		require.Equal(t, f.Terms.LookUp && !forgotten, a.Act == LookUp)
		if a.Act == ResendSameKey {
			require.False(t, f.ResendRefused || f.Lost.Any())
			require.True(t, f.Now.Before(f.SubmittedAt.Add(f.Terms.KeyRetention-f.Terms.CallTimeout)))
			require.True(t, f.BreakOpen)
			require.False(t, f.OtherInDoubt)
		}
	})
}

func TestCorrection_NothingIsApprovedWhileAnotherActIsInDoubt(t *testing.T) {
	everyCorrection(func(f CorrectionFacts) {
		if f.OtherInDoubt || !f.BreakOpen {
			require.NotContains(t, []Act{Approve, Redrive, ResendSameKey}, Correction(f).Act)
		}
	})
}

func TestJob_EveryStateHasOneActThatItsTableAllows(t *testing.T) {
	for _, state := range engine.JobStates() {
		for _, paused := range bools {
			for _, deaths := range []int{0, DeathsMax} {
				a := Job(JobFacts{State: state, Version: 7, Now: noon, LeaseUntil: noon, Deaths: deaths, Paused: word(paused, "why")})
				wellFormed(t, a)
				require.Contains(t, []Act{Nothing, Wait, Redrive, Review}, a.Act, state)
				if a.Act == Redrive {
					require.True(t, engine.MayTake(engine.Jobs(), state, engine.JobReady, engine.RolePerson))
				}
			}
		}
	}
}

func TestAdvice_AStateOfANewerBuildIsLeftToAPerson(t *testing.T) {
	for _, a := range []Advice{
		Job(JobFacts{State: "x", Version: 7}),
		Intent(IntentFacts{State: "x", Version: 7}),
		Correction(CorrectionFacts{State: "x", Version: 7}),
	} {
		wellFormed(t, a)
		require.Equal(t, Review, a.Act)
	}
}

func TestResendUntil_EndsBeforeTheKeyIsForgottenByTheLongestCall(t *testing.T) {
	tm := engine.Terms{Keyed: true, KeyRetention: time.Hour, CallTimeout: time.Minute}
	require.Equal(t, noon.Add(58*time.Minute), ResendUntil(noon, tm))
	require.Zero(t, ResendUntil(noon, engine.Terms{KeyRetention: time.Hour}))
	require.Zero(t, ResendUntil(time.Time{}, tm))
}
