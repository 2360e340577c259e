package oracle

import (
	"strconv"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim/pg"
)

// laneFull: whoever is parked because the lane is full is heard of. The alarm is raised when a record is parked, and it is
// ended only when the lane has room again.
func laneFull() Oracle {
	return claim{name: "lane-full", excused: []string{"database-step"}, spoil: nobodyHears, check: func(v View, s *seen) {
		for _, t := range []pg.Tables{v.Earlier, v.Tables} {
			alarms, mail, capacities := fullLanes(t), rows(t, "letter"), s.capacities(t)
			s.Checked += len(rows(t, "lane"))
			for lane, alarm := range alarms {
				cleared := s.when(alarm, "cleared_at")
				held, _ := s.held(mail, lane, cleared)
				if _, most, known := capacityAt(capacities[lane], cleared); known && !cleared.IsZero() && held >= most {
					s.broke("lane:"+lane, "the alarm that it is full was ended at %s, when it held %d of %d letters", stamp(cleared), held, most)
				}
			}
			for _, table := range []string{"job", "correction", "intent"} {
				for _, r := range rows(t, table) {
					if r.text("state") == "parked" {
						s.heardOf(table, r, alarms)
					}
				}
			}
		}
	}}
}

func fullLanes(t pg.Tables) map[string]row {
	all := map[string]row{}
	for _, a := range rows(t, "alarm") {
		if a.text("kind") == "lane_full" {
			all[a.text("subject")] = a
		}
	}
	return all
}

func (s *seen) heardOf(table string, r row, alarms map[string]row) {
	alarm, ok := alarms[laneOf(table, r)]
	if !ok || s.when(alarm, "raised_at").Before(s.when(r, "since")) {
		s.broke(table+":"+r.text(table+"_id"), "it was parked at %s, and no alarm was raised", r.text("since"))
	}
}

// laneOf is the lane of a record: a channel's for an intent.
func laneOf(table string, r row) string {
	if table == "intent" {
		return r.text("channel")
	}
	return table + "s"
}

// held is how many letters lay in a lane at an instant, at least and at most: what came or went at that very instant may
// have done so before or after.
func (s *seen) held(mail []row, lane string, at time.Time) (least, most int64) {
	for _, l := range mail {
		died, redriven := s.when(l, "died_at"), s.when(l, "redriven_at")
		if l.text("lane") != lane || died.After(at) || !redriven.IsZero() && redriven.Before(at) {
			continue
		}
		most++
		if died.Before(at) && (redriven.IsZero() || redriven.After(at)) {
			least++
		}
	}
	return least, most
}

// capacity is how many letters a lane may hold from an instant on.
type capacity struct {
	from    time.Time
	letters int64
}

// capacities are what people set, lane by lane, oldest first: the audit tells. What the schema gave a lane is more than any
// drill fills.
func (s *seen) capacities(t pg.Tables) map[string][]capacity {
	all := map[string][]capacity{}
	for _, a := range rows(t, "audit") { // in the order in which it was written
		lane, ok := strings.CutPrefix(a.text("record"), "lane:")
		if !ok || a.text("act") != "set_capacity" {
			continue
		}
		said, _, _ := strings.Cut(a.text("detail"), ":")
		letters, err := strconv.ParseInt(said, 10, 64)
		if err != nil {
			s.broke("lane:"+lane, "its capacity was set to %q", a.text("detail"))
			continue
		}
		all[lane] = append(all[lane], capacity{s.when(a, "at"), letters})
	}
	return all
}

// capacityAt is what a lane might hold at an instant, the least and the most where it was set at that very instant.
func capacityAt(set []capacity, at time.Time) (least, most int64, known bool) {
	for _, c := range set {
		switch {
		case c.from.After(at):
			return least, most, known
		case c.from.Before(at) || !known:
			least, most, known = c.letters, c.letters, true
		default:
			least, most = min(least, c.letters), max(most, c.letters)
		}
	}
	return least, most, known
}

// nobodyHears ends the alarm of a lane that is full at the end.
func nobodyHears(v *View) bool {
	var ignored seen
	alarms, there := v.Tables["recon.alarm"]
	mail, capacities := rows(v.Tables, "letter"), ignored.capacities(v.Tables)
	for _, l := range rows(v.Tables, "lane") {
		lane := l.text("lane")
		held, _ := ignored.held(mail, lane, v.Limits.Now)
		_, most, known := capacityAt(capacities[lane], v.Limits.Now)
		if !there || !known || held < most {
			continue
		}
		now := v.Limits.Now.UTC().Format(timeText)
		alarms.Rows = append(alarms.Rows, made(alarms, map[string]string{"kind": "lane_full", "subject": lane, "raised_at": now, "cleared_at": now}))
		v.Tables["recon.alarm"] = alarms
		return true
	}
	return false
}
