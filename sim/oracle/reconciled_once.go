package oracle

// reconciledOnce: an account and window are reconciled once. There is one job for them, and a further generation of it
// only for a statement with other content.
func reconciledOnce() Oracle {
	return claim{name: "reconciled-once", spoil: reconciledTwice, check: func(v View, s *seen) {
		jobs := map[string]string{}
		for _, job := range rows(v.Tables, "job") {
			pair := job.key("account_id", "window_id")
			if other, ok := jobs[pair]; ok {
				s.broke("job:"+job.text("job_id"), "account and window %s have two jobs, %s and %s", pair, other, job.text("job_id"))
			}
			jobs[pair] = job.text("job_id")
		}
		statements := map[string]string{}
		generations := map[string]bool{}
		for _, e := range rows(v.Tables, "envelope") {
			s.look()
			read := e.key("job_id", "statement_hash")
			if other, ok := statements[read]; ok {
				s.broke("job:"+e.text("job_id"), "one statement of job %s was reconciled twice, as generation %s and %s", e.text("job_id"), other, e.text("generation"))
			}
			statements[read] = e.text("generation")
			if generations[e.key("job_id", "generation")] {
				s.broke("job:"+e.text("job_id"), "generation %s of job %s has two envelopes", e.text("generation"), e.text("job_id"))
			}
			generations[e.key("job_id", "generation")] = true
		}
	}}
}

// reconciledTwice lets a reconciliation leave its envelope twice.
func reconciledTwice(v *View) bool { return twice(v.Tables, "envelope") }
