package reconcile

import (
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/match"
)

// Config are the settings of the reconcile worker. Zero values mean the production defaults.
type Config struct {
	Batch        int               // jobs a claim, each of another account and in a task of its own; 4
	PollIdle     time.Duration     // between two claims that found nothing; 1 s
	AttemptsMax  int               // failures before a dead letter; 8
	CrashesMax   int               // processes that died of a job before a dead letter; 3
	Backoff      engine.Backoff    // after a failure; 30 s to 1 h
	PendingEvery time.Duration     // a statement that is not ready or not whole is asked for again; 10 min
	PendingMax   time.Duration     // so long after the window was due that a person must look; 48 h
	Grace        []match.KindGrace // how long the provider may lack an item of ours; charge 36 h, refund 72 h, payout 7 days
	LedgerGrace  []match.KindGrace // how long our ledger may lack a row of a finished statement; nothing: what is booked late has the same key
	Statement    engine.StatementOptions
	Policy       Policy
}

// Policy says what a break may start without a person. Amounts are minor units of whatever currency.
type Policy struct {
	Nothing          bool  // every correction waits for a person
	LocalMax         int64 // a local posting up to this; 1,000,000
	RefundMax        int64 // a refund up to this; 50,000
	WindowNumberMax  int   // automatic acts of one window; 20
	WindowMoneyMax   int64 // 2,000,000
	DayNumberMax     int   // of an account in 24 hours; 50
	DayMoneyMax      int64 // 5,000,000
	BrokenPercentMax int   // of a statement's rows; 25
	BrokenFrom       int   // a statement with fewer broken rows is never judged by their share; 10
}

func (c Config) withDefaults() Config {
	usual := func(d *time.Duration, is time.Duration) {
		if *d == 0 {
			*d = is
		}
	}
	number := func(n *int, is int) {
		if *n == 0 {
			*n = is
		}
	}
	money := func(n *int64, is int64) {
		if *n == 0 {
			*n = is
		}
	}
	number(&c.Batch, 4)
	usual(&c.PollIdle, time.Second)
	number(&c.AttemptsMax, 8)
	number(&c.CrashesMax, 3)
	usual(&c.Backoff.Min, 30*time.Second)
	usual(&c.Backoff.Max, time.Hour)
	usual(&c.PendingEvery, 10*time.Minute)
	usual(&c.PendingMax, 48*time.Hour)
	if c.Grace == nil {
		c.Grace = []match.KindGrace{
			{Kind: engine.Charge, For: 36 * time.Hour}, {Kind: engine.RefundRow, For: 72 * time.Hour},
			{Kind: engine.Payout, For: 7 * 24 * time.Hour},
		}
	}
	money(&c.Policy.LocalMax, 1_000_000)
	money(&c.Policy.RefundMax, 50_000)
	number(&c.Policy.WindowNumberMax, 20)
	money(&c.Policy.WindowMoneyMax, 2_000_000)
	number(&c.Policy.DayNumberMax, 50)
	money(&c.Policy.DayMoneyMax, 5_000_000)
	number(&c.Policy.BrokenPercentMax, 25)
	number(&c.Policy.BrokenFrom, 10)
	return c
}
