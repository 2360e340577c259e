package oracle

// residual: for each reconciliation and currency, provider − ledger = the residual that is recorded = the sum over its
// breaks; opening + new is the total; and what is new on the provider's side is what the provider's own statement of
// that account and window comes to.
func residual() Oracle {
	return claim{name: "residual", spoil: centAstray, check: func(v View, s *seen) {
		explained := map[string]int64{}
		for _, b := range rows(v.Tables, "break") {
			explained[b.key("job_id", "generation", "currency")] += s.number(b, "residual_minor")
		}
		stated := map[string]int64{}
		if v.Truth != nil {
			for _, t := range v.Truth.Statement {
				stated[t.Account+"/"+t.Window+"/"+t.Currency] = t.NetMinor
			}
		}
		totals := by(rows(v.Tables, "envelope_total"), "job_id", "generation", "currency")
		for name, t := range totals {
			s.look()
			totalAddsUp(s, name, t, explained[name])
		}
		for name, sum := range explained {
			if _, ok := totals[name]; !ok {
				s.broke("envelope:"+name, "breaks of %d minor units belong to it, and it has no total", sum)
			}
		}
		jobs := by(rows(v.Tables, "job"), "job_id")
		for _, e := range rows(v.Tables, "envelope") {
			job, ok := jobs[e.text("job_id")]
			if !ok || v.Truth == nil || e.text("generation") != "1" {
				continue
			}
			for _, t := range v.Truth.Statement {
				if t.Account != job.text("account_id") || t.Window != job.text("window_id") {
					continue
				}
				s.look()
				name := e.key("job_id", "generation") + "/" + t.Currency
				if total, ok := totals[name]; !ok {
					s.broke("envelope:"+name, "the provider's statement has %d rows in %s, the envelope none", t.Rows, t.Currency)
				} else if got := s.number(total, "provider_new_minor"); got != t.NetMinor {
					s.broke("envelope:"+name, "the provider's statement comes to %d minor units, the envelope says %d", t.NetMinor, got)
				}
			}
		}
		for name, t := range totals { // a currency that the statement does not have
			job, ok := jobs[t.text("job_id")]
			if !ok || v.Truth == nil || t.text("generation") != "1" {
				continue
			}
			if _, ok := stated[job.key("account_id", "window_id")+"/"+t.text("currency")]; !ok && s.number(t, "provider_new_minor") != 0 {
				s.broke("envelope:"+name, "the provider's statement has nothing in this currency, the envelope %d minor units", s.number(t, "provider_new_minor"))
			}
		}
	}}
}

func totalAddsUp(s *seen, name string, t row, explained int64) {
	record := "envelope:" + name
	provider, ledger, residual := s.number(t, "provider_minor"), s.number(t, "ledger_minor"), s.number(t, "residual_minor")
	if provider-ledger != residual {
		s.broke(record, "provider %d − ledger %d is not its residual %d", provider, ledger, residual)
	}
	if residual != explained {
		s.broke(record, "its residual is %d minor units, its breaks explain %d", residual, explained)
	}
	for side, total := range map[string]int64{"provider": provider, "ledger": ledger} {
		opening, fresh := s.number(t, side+"_opening_minor"), s.number(t, side+"_new_minor")
		if opening+fresh != total {
			s.broke(record, "%s: opening %d + new %d is not its total %d", side, opening, fresh, total)
		}
		matched, closing := s.number(t, side+"_matched_minor"), s.number(t, side+"_closing_minor")
		if opening+fresh-matched != closing {
			s.broke(record, "%s: opening %d + new %d − matched %d is not closing %d", side, opening, fresh, matched, closing)
		}
	}
}

// centAstray lets the recorded residual of a reconciliation be a minor unit off.
func centAstray(v *View) bool { return oneMore(v.Tables, "envelope_total", "residual_minor") }
