package world

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// Channel delivers messages to contacts: e-mail, SMS, push. Keyed, look-up or neither are its terms.
type Channel struct {
	service
	setup ChannelSetup
	hear  func(r Receipt) error
	known map[string]bool // addresses of contacts; others are refused
}

func newChannel(w *World, s ChannelSetup) *Channel {
	return &Channel{service: newService(w, s.Name, s.Terms), setup: s}
}

// Name is email, sms or push; also the channel's actor in scripts.
func (c *Channel) Name() string { return c.name }

// Send delivers one message. An address that no contact has is rejected. Empty key: no deduplication.
func (c *Channel) Send(ctx context.Context, m Message) Answer {
	return c.act(ctx, request{
		what: "send", key: m.Key,
		label:   fmt.Sprintf("send(%s,%s)", m.Contact, m.Key),
		detail:  hash(m.Account + "\n" + m.Contact + "\n" + m.Address + "\n" + m.Subject + "\n" + m.Body),
		touches: []string{"contact " + m.Contact, keyed(m.Key)},
		also:    sendOutcomes,
		refuse:  func() string { return c.refuses(m.Address) },
		effect:  func(place string, now time.Time, late bool) string { return c.deliver(m, place, now, late) },
	})
}

var sendOutcomes = []sim.Value{value(contactInvalid), value(poison)}

func (c *Channel) refuses(address string) string {
	if c.known == nil {
		c.known = map[string]bool{}
		for _, contact := range c.w.Contacts {
			if contact.Channel == c.name {
				c.known[contact.Address] = true
			}
		}
	}
	if !c.known[address] {
		return "address_unknown"
	}
	return ""
}

func (c *Channel) deliver(m Message, place string, now time.Time, late bool) string {
	n := 0
	for _, d := range c.w.truth.Messages {
		if d.Channel == c.name && d.Contact == m.Contact {
			n++
		}
	}
	id := c.w.f.id("msg", c.name+"/"+m.Contact+"/"+m.Key+"/"+strconv.Itoa(n))
	c.w.truth.Messages = append(c.w.truth.Messages, Delivered{MessageID: id, Channel: c.name, Contact: m.Contact, Address: m.Address,
		Account: m.Account, Key: m.Key, Subject: m.Subject, Body: m.Body, BodyHash: hash(m.Body), At: now, Late: late})
	c.testify(m, id, place, now)
	return id
}
