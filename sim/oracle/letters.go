package oracle

// letters: a lane counts its open letters and never holds more than it may; a dead record has its open letter; a record
// is parked only where its lane was full; and whoever died lives again only by a person's act.
func letters() Oracle {
	return claim{name: "letters", spoil: miscounted, check: func(v View, s *seen) {
		open, mail := map[string]int64{}, rows(v.Tables, "letter")
		byDeath := by(mail, "record", "death")
		for _, l := range mail {
			s.look()
			if l.text("redriven_at") == "" {
				open[l.text("lane")]++
			}
		}
		lanes := by(rows(v.Tables, "lane"), "lane")
		for name, lane := range lanes {
			s.look()
			used, capacity := s.number(lane, "used"), s.number(lane, "capacity")
			if used != open[name] {
				s.broke("lane:"+name, "it counts %d, and %d of its letters are open", used, open[name])
			}
			if used > capacity {
				s.broke("lane:"+name, "it holds %d of at most %d letters", used, capacity)
			}
		}
		capacities := s.capacities(v.Tables)
		persons := map[string]int64{} // acts on a record
		for _, a := range rows(v.Tables, "audit") {
			persons[a.text("record")]++
		}
		for _, table := range []string{"job", "correction", "intent"} {
			for _, r := range rows(v.Tables, table) {
				s.buried(table, r, capacities, mail, byDeath)
				s.risen(table, r, persons)
			}
		}
	}}
}

func (s *seen) buried(table string, r row, capacities map[string][]capacity, mail []row, byDeath map[string]row) {
	record := table + ":" + r.text(table+"_id")
	lane := laneOf(table, r)
	switch r.text("state") {
	case "dead":
		s.look()
		letter, ok := byDeath[record+"/"+r.text("deaths")]
		switch {
		case !ok:
			s.broke(record, "it is dead for the %s. time and has no letter for that", r.text("deaths"))
		case letter.text("redriven_at") != "":
			s.broke(record, "it is dead, and its letter was redriven at %s", letter.text("redriven_at"))
		case letter.text("lane") != lane:
			s.broke(record, "its letter lies in lane %s", letter.text("lane"))
		}
	case "parked":
		s.look()
		since := s.when(r, "since")
		_, held := s.held(mail, lane, since)
		if least, _, known := capacityAt(capacities[lane], since); known && held < least {
			s.broke(record, "it was parked at %s while lane %s held %d of %d letters", r.text("since"), lane, held, least)
		}
	}
}

// risen: a record that goes on by itself after its budget was spent goes on for ever.
func (s *seen) risen(table string, r row, persons map[string]int64) {
	record := table + ":" + r.text(table+"_id")
	deaths, excused := s.number(r, "deaths"), persons[record]
	if oneOf(r.text("state"), "dead", "parked") {
		excused++ // it has not risen from this one
	}
	if deaths > 0 {
		s.look()
	}
	if deaths > excused {
		s.broke(record, "it died %d times and is %s, and people acted on it %d times", deaths, r.text("state"), persons[record])
	}
}

// miscounted lets a lane count one letter more than it holds.
func miscounted(v *View) bool { return oneMore(v.Tables, "lane", "used") }
