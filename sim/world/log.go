package world

import "strings"

// Word is what a service's own people say, asked by a person what became of something.
type Word string

// The words.
const (
	CannotSay Word = "" // it is under way, or may still come
	Done      Word = "done"
	Refused   Word = "refused"
	Absent    Word = "absent" // not done, and it cannot come to be done any more
)

// Log is what the channel's own log says of the messages whose keys begin so, once the settling time of the last call is over.
func (c *Channel) Log(prefix string) Word {
	for _, m := range c.w.truth.Messages {
		if m.Channel == c.name && strings.HasPrefix(m.Key, prefix) {
			return Done
		}
	}
	word := Absent
	for _, call := range c.w.truth.Calls {
		if call.Service != c.name || call.What != "send" || !strings.HasPrefix(call.Key, prefix) {
			continue
		}
		if call.Effect || c.w.k.Now().Before(call.At.Add(c.terms.Settling)) {
			return CannotSay
		}
		word = Absent
		if kind, _, _ := strings.Cut(call.Answer, " "); kind == "rejected" {
			word = Refused
		}
	}
	return word
}
