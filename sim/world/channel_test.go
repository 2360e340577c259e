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

// heard sends one message and collects the receipts; take says whether somebody is there.
func heard(t *testing.T, c ChannelSetup, take func(n int) error) []Receipt {
	c.Name = "email"
	s := newStage(t, Setup{Channels: []ChannelSetup{c}})
	var got []Receipt
	s.w.Channel("email").OnReceipt(func(_ context.Context, r Receipt) error {
		got = append(got, r)
		return take(len(got))
	})
	s.process(func(ctx context.Context, p *sim.Process) {
		s.w.Channel("email").Send(ctx, s.w.message("email", "k"))
		if c.ReceiptEarly == 10_000 {
			require.NoError(t, p.Sleep(ctx, time.Microsecond))
			require.Len(t, got, 1, "the receipt races the caller's commit")
		}
	})
	s.run(10 * time.Hour)
	require.Equal(t, s.w.Truth().Messages[0].MessageID, got[0].MessageID)
	return got
}

func nobody(int) error { return errors.New("nobody is there") }
func always(int) error { return nil }

func TestReceipt_ComesOnceTwiceOrEarlyByTheKnobs(t *testing.T) {
	require.Len(t, heard(t, ChannelSetup{}, always), 1)
	twice := heard(t, ChannelSetup{ReceiptTwice: 10_000}, always)
	require.Len(t, twice, 2)
	require.Equal(t, twice[0], twice[1])
	require.Len(t, heard(t, ChannelSetup{ReceiptEarly: 10_000}, always), 1)
	require.Equal(t, "bounced", heard(t, ChannelSetup{ReceiptBounced: 10_000}, always)[0].Kind)
}

func TestReceipt_ComesAgainWhenNobodyTookIt(t *testing.T) {
	require.Len(t, heard(t, ChannelSetup{}, nobody), 1+len(redeliver))
	require.Len(t, heard(t, ChannelSetup{}, func(n int) error {
		if n < 3 {
			return errors.New("restarting")
		}
		return nil
	}), 3)
}
