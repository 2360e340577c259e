package world

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// message is a reminder for the first contact of a channel.
func (w *World) message(channel, key string) Message {
	for _, c := range w.Contacts {
		if c.Channel == channel {
			return Message{Account: "acct_1", Channel: channel, Contact: c.ID, Address: c.Address, Subject: "Reminder", Body: "You owe.", Key: key}
		}
	}
	panic("no contact on " + channel)
}

func TestSend_OnlyAKeyedChannelKnowsItsKeyAgain(t *testing.T) {
	for channel, messages := range map[string]int{"email": 1, "sms": 2, "push": 2} {
		s := newStage(t, Setup{})
		s.process(func(ctx context.Context, _ *sim.Process) {
			m := s.w.message(channel, "k")
			require.Equal(t, "accepted", s.w.Channel(channel).Send(ctx, m).Kind)
			require.Equal(t, "accepted", s.w.Channel(channel).Send(ctx, m).Kind)
		})
		s.run(time.Hour)
		require.Len(t, s.w.Truth().Messages, messages, channel)
		require.Len(t, s.w.Truth().DoubledMessages(), messages-1, channel)
	}
}

func TestSend_TheSameTextUnderANewKeyIsADouble(t *testing.T) {
	s := newStage(t, Setup{})
	s.process(func(ctx context.Context, _ *sim.Process) {
		s.w.Channel("email").Send(ctx, s.w.message("email", "k/1"))
		s.w.Channel("email").Send(ctx, s.w.message("email", "k/2"))
	})
	s.run(time.Hour)
	require.Len(t, s.w.Truth().DoubledMessages(), 1)
}

func TestSend_LookUpIsAnsweredByTermsOnly(t *testing.T) {
	s := newStage(t, Setup{})
	s.process(func(ctx context.Context, _ *sim.Process) {
		for channel, can := range map[string]bool{"email": false, "sms": true, "push": false} {
			ch := s.w.Channel(channel)
			ref := ch.Send(ctx, s.w.message(channel, "k")).Ref
			a := ch.LookUp(ctx, "k")
			require.Equal(t, can, a.Found, channel)
			if can {
				require.Equal(t, ref, a.Ref)
				require.False(t, ch.LookUp(ctx, "other").Found)
			} else {
				require.Equal(t, "no_look_up", a.Code)
			}
		}
	})
	s.run(time.Hour)
}

func TestLookUp_SeesAnEffectOnlyAfterItsLag(t *testing.T) {
	s := newStage(t, Setup{Channels: []ChannelSetup{{Name: "sms", Terms: Terms{LookUp: true, LookUpLag: time.Minute}}}})
	s.process(func(ctx context.Context, p *sim.Process) {
		ch := s.w.Channel("sms")
		ch.Send(ctx, s.w.message("sms", "k"))
		require.False(t, ch.LookUp(ctx, "k").Found)
		require.NoError(t, p.Sleep(ctx, time.Minute))
		require.True(t, ch.LookUp(ctx, "k").Found)
	})
	s.run(time.Hour)
}

func TestSend_AnUnknownAddressIsRejected(t *testing.T) {
	s := newStage(t, Setup{})
	s.process(func(ctx context.Context, _ *sim.Process) {
		m := s.w.message("email", "k")
		m.Address = "nobody@example.test"
		require.Equal(t, "rejected", s.w.Channel("email").Send(ctx, m).Kind)
	})
	s.run(time.Hour)
	require.Empty(t, s.w.Truth().Messages)
}

// receipts sends one message, whose receipt is decided to come so, and collects what is heard; take says whether
// somebody is there.
func receipts(t *testing.T, decided string, take func(n int) error) (got []Receipt, s *stage) {
	setup := Setup{Channels: []ChannelSetup{{Name: "email"}}}
	var deviations []sim.Deviation
	if decided != "" {
		place := "send(" + make1(t, 7, setup).message("email", "k").Contact + ",k)/1"
		deviations = append(deviations, at(t, "email callback "+place+"/1", sim.Fault, decided))
	}
	s = newStage(t, setup, deviations...)
	s.w.Channel("email").OnReceipt(func(r Receipt) error {
		got = append(got, r)
		return take(len(got))
	})
	s.process(func(ctx context.Context, p *sim.Process) {
		s.w.Channel("email").Send(ctx, s.w.message("email", "k"))
		require.Equal(t, decided == receiptEarly, len(got) == 1, "it is there before the call's answer")
	})
	s.run(10 * time.Hour)
	require.Equal(t, s.w.Truth().Messages[0].MessageID, got[0].MessageID)
	require.Len(t, s.k.History().Used, len(deviations))
	return got, s
}

func nobody(int) error { return errors.New("nobody is there") }
func always(int) error { return nil }

func TestReceipt_ComesAsItIsDecided(t *testing.T) {
	plain, s := receipts(t, "", always)
	require.Len(t, plain, 1)
	place := "send(" + plain[0].Contact + ",k)/1"
	require.Equal(t, []string{"email " + place + " 0 0s"}, s.marks("heard"))
	for decided, want := range map[string][]string{
		"callback late 300s":      {"0 300s"},
		"callback reordered 120s": {"0 120s"},
		"callback doubled 90s":    {"0 0s", "1 90s"},
		"ack late 90s":            {"0 0s", "1 90s"},
		"callback early":          {"0 0s"},
		"bounced":                 {"0 0s"},
		"callback nameless 90s":   {"0 0s", "1 90s"},
	} {
		got, s := receipts(t, decided, always)
		for i := range want {
			want[i] = "email " + place + " " + want[i]
		}
		require.Equal(t, want, s.marks("heard"), decided)
		require.Equal(t, decided == "bounced", got[0].Kind == "bounced")
		require.Equal(t, decided == "bounced", len(s.marks("bounced")) == 1)
		require.Equal(t, len(want)-1, len(s.marks("taken")), decided)
		require.Equal(t, decided == "callback nameless 90s", got[0].ID == "", decided)
		require.Len(t, s.w.Truth().Receipts, 1, "however often it comes")
		require.Equal(t, got[len(got)-1], s.w.Truth().Receipts[0].Receipt, "as it should be")
		got[0].ID = got[len(got)-1].ID
		require.Equal(t, got[0], got[len(got)-1], "the same receipt again")
	}
}

func TestReceipt_ComesAgainWhenNobodyTookIt(t *testing.T) {
	got, _ := receipts(t, "", nobody)
	require.Len(t, got, 1+len(redeliver))
	got, _ = receipts(t, "", func(n int) error {
		if n < 3 {
			return errors.New("restarting")
		}
		return nil
	})
	require.Len(t, got, 3)
}

func TestSend_AnInvalidContactIsRejectedAndAnOutageOrPoisonIsNot(t *testing.T) {
	for decided, want := range map[string][]string{
		contactInvalid:    {"rejected contact_invalid", "accepted ", "accepted ", "accepted "},
		answerLost:        {"unknown connection lost", "accepted ", "accepted ", "accepted "},
		throttled:         {"throttled rate_limited", "accepted ", "accepted ", "accepted "},
		outage + " 300s":  {"failed service_unavailable", "failed service_unavailable", "accepted ", "accepted "},
		poison:            {"failed unprocessable", "failed unprocessable", "failed unprocessable", "accepted "},
		throttled + " 5s": {"throttled rate_limited", "accepted ", "accepted ", "accepted "},
	} {
		s := newStage(t, Setup{})
		m := s.w.message("email", "k")
		s = newStage(t, Setup{}, at(t, "email send("+m.Contact+",k)/1", sim.Outcome, decided))
		var got []string
		send := func(ctx context.Context) {
			a := s.w.Channel("email").Send(ctx, m)
			got = append(got, a.Kind+" "+a.Code)
		}
		s.process(func(ctx context.Context, p *sim.Process) {
			for _, pause := range []time.Duration{time.Minute, 10 * time.Minute, time.Hour} {
				send(ctx)
				require.NoError(t, p.Sleep(ctx, pause))
			}
			s.w.Heal()
			send(ctx)
		})
		s.run(3 * time.Hour)
		require.Equal(t, want, got, decided)
		require.LessOrEqual(t, len(s.w.Truth().Messages), 1)
		switch decided {
		case answerLost:
			require.Len(t, s.marks("gave up"), 1)
		case poison:
			require.Len(t, s.marks("poisoned"), 3)
		case outage + " 300s":
			require.Len(t, s.marks("down"), 2)
		}
	}
}

func TestSend_AKeyThatWasAcceptedMayBeAnsweredOtherwise(t *testing.T) {
	s := newStage(t, Setup{})
	m := s.w.message("email", "k")
	s = newStage(t, Setup{}, at(t, "email send("+m.Contact+",k)/2", sim.Outcome, otherAnswer))
	s.process(func(ctx context.Context, p *sim.Process) {
		require.Equal(t, "accepted", s.w.Channel("email").Send(ctx, m).Kind)
		require.Equal(t, Answer{Kind: "rejected", Code: "duplicate"}, s.w.Channel("email").Send(ctx, m))
	})
	s.run(time.Hour)
	require.Len(t, s.w.Truth().Messages, 1)
}

func TestSend_AKeyWhoseCallerGaveUpIsForgottenAloud(t *testing.T) {
	setup := Setup{Channels: []ChannelSetup{{Name: "email", Terms: Terms{Keyed: true, KeyRetention: 20 * time.Minute}}}}
	m := newStage(t, setup).w.message("email", "k")
	s := newStage(t, setup, at(t, "email send("+m.Contact+",k)/1", sim.Outcome, effectNow))
	s.process(func(ctx context.Context, p *sim.Process) {
		within(ctx, p, 20*time.Second, func(ctx context.Context) Answer { return s.w.Channel("email").Send(ctx, m) })
	})
	s.run(time.Hour)
	require.Equal(t, []string{"email send(" + m.Contact + ",k)/1"}, s.marks("forgot"))
}
