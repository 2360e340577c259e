package sim

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var (
	aName   = rapid.StringMatching(`[a-z][a-z0-9.-]{0,8}`)
	aWord   = rapid.StringMatching(`[!-~äß→]{1,12}`)
	aPhrase = rapid.Map(rapid.SliceOfN(aWord, 1, 4), func(words []string) string { return strings.Join(words, " ") })
	anActor = rapid.Custom(func(t *rapid.T) Actor {
		a := Actor{Process: aName.Draw(t, "process"), Life: rapid.IntRange(-1, 12).Draw(t, "life")}
		if a.Life >= 0 || rapid.Bool().Draw(t, "second") {
			a.Task = rapid.StringMatching(`([a-z0-9:/#_-]{1,10})?`).Draw(t, "task")
		}
		return a
	})
	anAddress = rapid.Custom(func(t *rapid.T) Address {
		return Address{anActor.Draw(t, "actor"), aPhrase.Draw(t, "label"), rapid.IntRange(1, 1000).Draw(t, "nth")}
	})
	aValue = rapid.Custom(func(t *rapid.T) Value {
		v := Value{Verb: aWord.Draw(t, "verb")}
		if rapid.Bool().Draw(t, "has an argument") {
			v.Arg = aPhrase.Draw(t, "arg")
		}
		return v
	})
	aScript = rapid.Custom(func(t *rapid.T) Script {
		maybe := rapid.OneOf(rapid.Just(""), aPhrase)
		s := Script{Header: Header{
			Drill: maybe.Draw(t, "drill"), Seed: rapid.Uint64().Draw(t, "seed"), Workload: maybe.Draw(t, "workload"),
			Version: rapid.IntRange(0, 9).Draw(t, "version"), K: rapid.IntRange(0, 99).Draw(t, "K"),
			S: rapid.IntRange(0, 99999).Draw(t, "S"), D: rapid.IntRange(0, 9).Draw(t, "D"), Hash: maybe.Draw(t, "hash"),
			Verdict: maybe.Draw(t, "verdict"), Oracle: maybe.Draw(t, "oracle"), Weights: maybe.Draw(t, "weights"),
		}}
		have := map[question]bool{}
		for range rapid.IntRange(0, 6).Draw(t, "deviations") {
			d := Deviation{anAddress.Draw(t, "address"), Class(rapid.IntRange(0, int(Hold)).Draw(t, "class")), aValue.Draw(t, "value")}
			if q := (question{d.At, d.Class}); !have[q] && !strings.HasPrefix(d.At.Actor.Process, "#") {
				have[q] = true
				s.Deviations = append(s.Deviations, d)
			}
		}
		return s
	})
)

func TestScript_StringAndParseScriptAreInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := aScript.Draw(t, "script")
		back, err := ParseScript(s.String())
		require.NoError(t, err)
		require.Equal(t, s, back)
	})
}

func TestAddress_StringAndParseAddressAreInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anAddress.Draw(t, "address")
		back, err := ParseAddress(a.String())
		require.NoError(t, err)
		require.Equal(t, a, back)
	})
}

func TestValue_StringAndParseValueAreInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := aValue.Draw(t, "value")
		back, err := ParseValue(v.String())
		require.NoError(t, err)
		require.Equal(t, v, back)
	})
}

func TestParseScript_ReadsTheTableOfTheDesign(t *testing.T) {
	s, err := ParseScript(`# A worker dies after its commit.
drill     lost-lease
seed      7
version   1
bounds    K=50 S=20000 D=3

# the deviations
worker-1#0/reconcile     sql:FinishJob/2       fault    kill after
worker-1#0/reconcile     sql:ClaimJobs/1       then     worker-2#0/reconcile
provider                 refund(p1,2100,k1)/1  outcome  timeout, effect later
cron-1                   tick 2026-03-29/1     fault    duplicate +40s
deliver-1#0/sms          sql:DeadLetter/1      hold     sync
`)
	require.NoError(t, err)
	require.Equal(t, Header{Drill: "lost-lease", Seed: 7, Version: 1, K: 50, S: 20000, D: 3}, s.Header)
	require.Equal(t, Deviation{Address{Actor{"worker-1", 0, "reconcile"}, "sql:FinishJob", 2}, Fault, Value{"kill", "after"}}, s.Deviations[0])
	require.Equal(t, Deviation{Address{Bare("provider"), "refund(p1,2100,k1)", 1}, Outcome, Value{"timeout,", "effect later"}}, s.Deviations[2])
	require.Equal(t, Address{Bare("cron-1"), "tick 2026-03-29", 1}, s.Deviations[3].At)
}

func TestParseScript_ErrorsNameTheLineAndWhatWouldBeAccepted(t *testing.T) {
	for text, want := range map[string][]string{
		"seed  7\n":                                                         {`no line "version"`},
		"version  1\nseed  x\n":                                             {"line 2", `"x"`},
		"version  1\nseed  1\nseed  2\n":                                    {"line 3", "twice"},
		"version  1\nspeed  1\n":                                            {"line 2", `"speed"`, "want one of drill"},
		"version  1\n\na#0/b  sql:X/1  fault\n":                             {"line 3", "3 columns", "want actor"},
		"version  1\n\na#0/b  sql:X/0  fault  kill after\n":                 {"line 3", `"0"`, "count from 1"},
		"version  1\n\na#0/b  sql:X  fault  kill after\n":                   {"line 3", "label/nth"},
		"version  1\n\na#x/b  sql:X/1  fault  kill after\n":                 {"line 3", `"x"`, "number from 0"},
		"version  1\n\na#0/b  sql:X/1  mood  kill after\n":                  {"line 3", `"mood"`, "then, fault, latency, outcome, hold"},
		"version  1\n\na  b/1  fault  x\nq  c/1  then  z\na  b/1  fault  y": {"line 5", "second value"},
	} {
		_, err := ParseScript(text)
		require.Error(t, err, text)
		for _, w := range want {
			require.ErrorContains(t, err, w, text)
		}
	}
}

func TestSqueeze_LeavesCleanLabelsAloneAndMakesOthersPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"sql:X": "sql:X", "a b": "a b", "a  b": "a b", " a": "a", "a ": "a", "a\nb\tc": "a b c", "": "", "ä b": "ä b", "ä\u00a0b": "ä b",
	} {
		require.Equal(t, want, squeeze(in), "%q", in)
	}
}

func FuzzParseScript(f *testing.F) {
	f.Add("version  1\n\na#0/b  sql:X/1  fault  kill after\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseScript(text)
		if err != nil {
			return
		}
		back, err := ParseScript(s.String())
		require.NoError(t, err)
		require.Equal(t, s, back)
	})
}
