package oracle

import (
	"strings"

	"github.com/recondrill/recondrill/sim/pg"
)

// breaks: a difference stands until something ended it. One break of it stands at a time; whoever closed a break is of its
// account and had a reason (the difference stands again in that reconciliation, a side of it was matched there, or its
// correction was applied); and an open break asked for something, which is not called off while the difference stands.
func breaks() Oracle {
	return claim{name: "breaks", spoil: calledOff, check: func(v View, s *seen) {
		d := newDifferences(v.Tables)
		for _, b := range d.breaks {
			s.look()
			switch b.text("state") {
			case "timing", "open":
				d.stands(s, b)
			default:
				d.closed(s, b)
			}
		}
		for _, c := range rows(v.Tables, "correction") {
			b, ok := d.byKey[c.text("break_key")]
			refused := c.text("state") == "refused" && !d.audited["correction:"+c.text("correction_id")] // a person may
			if !ok || c.text("state") != "superseded" && !refused {
				continue
			}
			s.look()
			if now, stands := d.standing[difference(b)]; stands {
				s.broke("correction:"+c.text("correction_id"), "it is %s, and what it would correct stands as %s", c.text("state"), now.text("break_key"))
			}
		}
	}}
}

// difference is what a break is about, in whichever envelope it is named.
func difference(b row) string { return b.key("account_id", "row_id", "item_key") }

type differences struct {
	breaks      []row
	byKey       map[string]row
	standing    map[string]row  // by difference
	named       map[string]bool // job and difference
	matched     map[string]bool // job, and the row or item that it closed
	asked       map[string]bool // differences with a correction, in whatever state
	corrections map[string]row
	audited     map[string]bool // records that a person acted on
}

func newDifferences(t pg.Tables) *differences {
	d := &differences{breaks: rows(t, "break"), standing: map[string]row{}, named: map[string]bool{}, matched: map[string]bool{},
		asked: map[string]bool{}, audited: map[string]bool{}, corrections: by(rows(t, "correction"), "correction_id")}
	d.byKey = by(d.breaks, "break_key")
	for _, b := range d.breaks {
		d.named[b.text("job_id")+" "+difference(b)] = true
		if oneOf(b.text("state"), "timing", "open") {
			d.standing[difference(b)] = b
		}
	}
	for _, r := range rows(t, "provider_row") {
		d.matched[r.text("matched_job")+" row "+r.key("account_id", "row_id")] = true
	}
	for _, m := range rows(t, "item_match") {
		d.matched[m.text("job_id")+" item "+m.text("business_key")] = true
	}
	for _, c := range d.corrections {
		if b, ok := d.byKey[c.text("break_key")]; ok {
			d.asked[difference(b)] = true
		}
	}
	for _, a := range rows(t, "audit") {
		d.audited[a.text("record")] = true
	}
	return d
}

// stands judges a break that is not over. One pair may differ in several things at once: breaks of one envelope are no
// repetition.
func (d *differences) stands(s *seen, b row) {
	record := "break:" + b.text("break_key")
	if other := d.standing[difference(b)]; other.key("job_id", "generation") != b.key("job_id", "generation") {
		s.broke(record, "it stands, and so does %s of the same difference", other.text("break_key"))
	}
	if b.text("state") == "open" && !d.asked[difference(b)] {
		s.broke(record, "it is open, and nothing was asked for it")
	}
}

// about says whether a correction is of the difference that a break names.
func (d *differences) about(c, b row) bool {
	of, ok := d.byKey[c.text("break_key")]
	return ok && difference(of) == difference(b)
}

// closed judges the reason. A break that is born closed was nobody's to close.
func (d *differences) closed(s *seen, b row) {
	record := "break:" + b.text("break_key")
	who, by, _ := strings.Cut(b.text("closed_by"), ":")
	switch who {
	case "job":
		again := d.named[by+" "+difference(b)] || d.matched[by+" row "+b.key("account_id", "row_id")] || d.matched[by+" item "+b.text("item_key")]
		if by != b.text("job_id") && !again {
			s.broke(record, "job %s closed it, which neither matched a side of it nor found it again", by)
		}
	case "correction":
		if c, ok := d.corrections[by]; !ok || c.text("state") != "applied" || !d.about(c, b) {
			s.broke(record, "correction %s closed it, which was not applied to this difference", by)
		}
	default:
		if !d.audited[record] {
			s.broke(record, "it is %s, and no act of %q on it was noted", b.text("state"), b.text("closed_by"))
		}
	}
}

// calledOff lets what a standing difference asks for be superseded; where none stands, a correction that nobody made has
// closed a break.
func calledOff(v *View) bool {
	d := newDifferences(v.Tables)
	for _, c := range rows(v.Tables, "correction") {
		if b, ok := d.byKey[c.text("break_key")]; ok && d.standing[difference(b)].values != nil {
			c.set("state", "superseded")
			return true
		}
	}
	for _, b := range d.breaks {
		if strings.HasPrefix(b.text("closed_by"), "correction:") {
			b.set("closed_by", "correction:none")
			return true
		}
	}
	return false
}
