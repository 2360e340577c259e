package node_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/admission"
	"github.com/recondrill/recondrill/engine/calendar"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/node"
	"github.com/recondrill/recondrill/engine/postgres"
)

const header = "balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,automatic_payout_id\n"

// shop is a provider with empty statements and a channel that counts.
type shop struct {
	mu      sync.Mutex
	name    engine.ChannelName
	sent    int
	reading func(context.Context)
}

func (s *shop) Name() engine.ChannelName { return s.name }
func (s *shop) Terms() engine.Terms {
	return engine.Terms{Keyed: true, LookUp: true, KeyRetention: 24 * time.Hour, Settling: time.Minute, CallTimeout: time.Minute}
}
func (s *shop) Statement(ctx context.Context, a engine.AccountID, w engine.Window) (engine.RawStatement, error) {
	if s.reading != nil {
		s.reading(ctx)
	}
	return engine.RawStatement{Name: string(a), Body: []byte(header), Completed: true}, ctx.Err()
}
func (s *shop) Refund(context.Context, engine.Refund) engine.Outcome {
	return engine.Outcome{Kind: engine.Accepted, Ref: "re_1"}
}
func (s *shop) Send(context.Context, engine.Message) engine.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent++
	return engine.Outcome{Kind: engine.Accepted, Ref: "m_1"}
}
func (s *shop) LookUp(context.Context, engine.Key) (engine.Outcome, error) {
	return engine.Outcome{}, engine.ErrAbsent
}

// open is a stage with one account whose window is due and one invoice to remind of, and a process on the real runtime.
func open(t *testing.T, change func(*node.Config)) (*enginetest.Stage, *node.Node, *shop) {
	t.Helper()
	s := server.Open(t)
	vienna, err := calendar.Zone("Europe/Vienna")
	require.NoError(t, err)
	plan := calendar.Plan{Zone: vienna, Unit: calendar.Daily, Anchor: calendar.Date{Year: 2026, Month: 3, Day: 1}, Lag: 4 * time.Hour}
	require.NoError(t, s.DB.AddAccounts(s.Ctx, []postgres.Account{{ID: "a", Zone: "Europe/Vienna", ProviderLag: 4 * time.Hour}}))
	require.NoError(t, s.DB.AddCustomers(s.Ctx, []postgres.Customer{{ID: "c", Account: "a"}}))
	require.NoError(t, s.DB.AddContacts(s.Ctx, []postgres.Contact{{ID: "m", Customer: "c", Channel: "email", Address: "x@example.test"}}))
	require.NoError(t, s.DB.AddWindows(s.Ctx, []postgres.Window{{Account: "a", Window: plan.First()}}))
	require.NoError(t, s.DB.AddInvoices(s.Ctx, []postgres.Invoice{{ID: "inv_1", Account: "a", Customer: "c", Currency: "USD", Amount: 1000,
		IssuedAt: enginetest.Morning, DueAt: enginetest.Morning, Steps: []postgres.Step{{Name: "due-0", DueAt: enginetest.Morning}}}}))
	_, err = s.DB.ApproveTemplates(s.Ctx, "person:ann", []postgres.Template{{Channel: "email", Kind: "reminder", Subject: "Reminder", Body: "Please pay"}})
	require.NoError(t, err)

	cfg, err := pgxpool.ParseConfig(running.ConnString(s.Text("select current_database()")))
	require.NoError(t, err)
	cfg.MaxConns = 8
	cfg.ConnConfig.RuntimeParams["role"] = "recon_engine"
	rt := node.NewRuntime()
	db, err := postgres.Open(s.Ctx, rt, cfg, postgres.Options{Member: "worker-1"})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	outside := &shop{name: "email"}
	c := node.Config{
		Parts:     []node.Part{node.Admission, node.Reconcile, node.Refund, node.Email},
		Admission: admission.Config{Token: "nightly", Schedule: calendar.Schedule{Zone: time.UTC, At: "09:00", Every: time.Hour, Count: 1}},
		Heartbeat: 5 * time.Millisecond, Maintain: 5 * time.Millisecond, Conserve: 5 * time.Millisecond,
	}
	if change != nil {
		change(&c)
	}
	n, err := node.New(rt, db, node.Ports{Provider: outside, Channels: []engine.Channel{outside}}, c)
	require.NoError(t, err)
	return s, n, outside
}

func start(t *testing.T, n *node.Node) (ended chan error) {
	t.Helper()
	ended = make(chan error, 1)
	go func() { ended <- n.Run(context.WithoutCancel(t.Context())) }()
	return ended
}

func until(t *testing.T, s *enginetest.Stage, sql, want string) {
	t.Helper()
	require.Eventually(t, func() bool { return s.Text(sql) == want }, 20*time.Second, 5*time.Millisecond, "%s: want %s", sql, want)
}

func TestRun_ATickBecomesASentReminderAndADrainLeavesNothingLeased(t *testing.T) {
	s, n, outside := open(t, nil)
	// The schedule was there before its slot, as after a deploy.
	s.Exec("insert into recon.schedule values ('nightly', recon.now() - interval '1 hour')")
	ended := start(t, n)
	until(t, s, "select state from recon.intent", "sent") // though every poll is an idle second apart: they wake each other
	n.Drain()
	require.NoError(t, <-ended)
	require.Equal(t, 1, outside.sent)
	require.Equal(t, "1", s.Text("select count(*) from recon.member where process = 'worker-1' and stopped_at is not null"))
	require.Equal(t, "0", s.Text("select count(*) from recon.job where state = 'leased'"))
	require.Equal(t, "", s.Text("select kind, detail from recon.alarm"))
}

// B23: what is in flight is aborted.
func TestRun_AProcessThatIsNotHeardStopsWhatItDoesAndComesBack(t *testing.T) { // B23
	var mu sync.Mutex
	var notes []string
	s, n, outside := open(t, func(c *node.Config) {
		c.SilentMax = time.Second // enough for a beat on a machine under load: no beat that is let through may be late
		c.Note = func(p node.Part, _ engine.Key, err error) {
			mu.Lock()
			defer mu.Unlock()
			notes = append(notes, string(p)+": "+err.Error())
		}
	})
	reading, aborted := make(chan struct{}), make(chan struct{})
	var once sync.Once
	outside.reading = func(ctx context.Context) {
		once.Do(func() {
			close(reading)
			<-ctx.Done()
			close(aborted)
		})
	}
	_, err := admission.Admit(s.Ctx, s.Runtime, s.DB, admission.Config{Token: "nightly",
		Schedule: calendar.Schedule{Zone: time.UTC, At: "09:00", Every: time.Hour, Count: 1}}, enginetest.Morning)
	require.NoError(t, err)
	ended := start(t, n)
	<-reading
	s.Exec("revoke update on recon.member from recon_engine") // its beats fail from now on
	<-aborted
	s.Exec("grant update on recon.member to recon_engine")
	until(t, s, "select state from recon.job", "done") // heard again, and at work again
	n.Drain()
	require.NoError(t, <-ended)
	mu.Lock()
	defer mu.Unlock()
	require.Contains(t, notes, "heartbeat: not heard for longer than the leases last: stopped what was in flight")
}

func TestRun_ADeregisteredProcessEnds(t *testing.T) {
	s, n, _ := open(t, nil)
	ended := start(t, n)
	s.Exec("update recon.member set stopped_at = recon.now()")
	require.ErrorIs(t, <-ended, postgres.ErrDeregistered)
}

func TestRun_WhatIsNotConservedIsAlarmedWhenTwoCountsAgree(t *testing.T) {
	s, n, _ := open(t, nil)
	s.Exec("update recon.lane set used = 1 where lane = 'sms'")
	ended := start(t, n)
	until(t, s, "select kind, subject, detail from recon.alarm", "conservation engine places taken in the lanes = letters that wait: 1 is not 0")
	s.Exec("update recon.lane set used = 0 where lane = 'sms'")
	until(t, s, "select count(*) from recon.alarm where cleared_at is null", "0")
	n.Drain()
	require.NoError(t, <-ended)
}

func TestNew_ABadConfigurationNamesTheSetting(t *testing.T) {
	s := server.Open(t)
	for says, c := range map[string]node.Config{
		"no parts; accepted are [admission reconcile refund email sms push]": {},
		`part "fax" is unknown or named twice`:                               {Parts: []node.Part{"fax"}},
		`part "sms" is unknown or named twice`:                               {Parts: []node.Part{"sms", "sms"}},
		"part sms needs the channel of that name":                            {Parts: []node.Part{"sms"}},
		"part reconcile needs a provider":                                    {Parts: []node.Part{"reconcile"}},
		"admission: Token is empty":                                          {Parts: []node.Part{"admission"}},
		"Heartbeat 10s is not less than HeartbeatDead 10s":                   {Parts: []node.Part{"sms"}, Heartbeat: 10 * time.Second},
		"Maintain is -1s; accepted is a positive duration":                   {Parts: []node.Part{"sms"}, Maintain: -time.Second},
	} {
		_, err := node.New(s.Runtime, s.DB, node.Ports{}, c)
		require.ErrorContains(t, err, says)
	}
	slow := enginetest.NewOutside("sms")
	slow.Promise.CallTimeout = 86 * time.Second
	_, err := node.New(s.Runtime, s.DB, node.Ports{Channels: []engine.Channel{slow}}, node.Config{Parts: []node.Part{"sms"}})
	require.ErrorContains(t, err, "channel sms: calls of up to 1m26s and a margin of 5s do not fit a lease of 1m30s")
}
