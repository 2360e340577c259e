package oracle

import "strings"

// roomsApart: a delivery part never calls the provider or another channel, a reconciliation never sends, and what only
// keeps time or house calls nobody. A task is a part's, or bears the name of the one record it works on.
func roomsApart() Oracle {
	parts := map[string]string{ // part → the one service it may call
		"reconcile": "provider", "refund": "provider", "email": "email", "sms": "sms", "push": "push", "heartbeat": "", "admission": "", "maintenance": "",
	}
	return claim{name: "rooms-apart", spoil: calledByTheHeartbeat, check: func(v View, s *seen) {
		if v.Truth == nil {
			return
		}
		records := map[string]string{}
		for _, table := range []string{"job", "correction"} {
			for _, r := range rows(v.Tables, table) {
				records[r.text(table+"_id")] = "provider"
			}
		}
		for _, intent := range rows(v.Tables, "intent") {
			records[intent.text("intent_id")] = intent.text("channel")
		}
		for _, c := range v.Truth.Calls {
			may, known := records[c.Caller.Task]
			if !known {
				part, _, _ := strings.Cut(c.Caller.Task, "/")
				may, known = parts[part]
			}
			if !known {
				continue // a person's
			}
			s.look()
			if c.Service != may {
				s.broke("call:"+c.Label, "%s called %s: %s", c.Caller, c.Service, c.Label)
			}
		}
	}}
}

// calledByTheHeartbeat lets the last call to the outside have been made by a task that may call nobody.
func calledByTheHeartbeat(v *View) bool {
	if v.Truth == nil || len(v.Truth.Calls) == 0 {
		return false
	}
	v.Truth.Calls[len(v.Truth.Calls)-1].Caller.Task = "heartbeat"
	return true
}
