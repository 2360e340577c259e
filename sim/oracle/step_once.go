package oracle

// stepOnce: a planned reminder of an invoice is covered once per channel and contact, whatever the window, by an intent
// that goes to this contact on this channel.
func stepOnce() Oracle {
	return claim{name: "step-once", spoil: coveredTwice, check: func(v View, s *seen) {
		intents := by(rows(v.Tables, "intent"), "intent_id")
		covered := map[string]string{}
		for _, pair := range rows(v.Tables, "intent_step") {
			s.look()
			name := pair.key("invoice_id", "step", "channel", "contact_id")
			id := pair.text("intent_id")
			if other, ok := covered[name]; ok {
				s.broke("intent:"+id, "step %s is covered by %s and by %s", name, other, id)
			}
			covered[name] = id
			intent, ok := intents[id]
			switch {
			case !ok:
				s.broke("intent:"+id, "step %s is covered by an intent that does not exist", name)
			case intent.key("channel", "contact_id") != pair.key("channel", "contact_id"):
				s.broke("intent:"+id, "step %s is covered by an intent that goes to %s", name, intent.key("channel", "contact_id"))
			}
		}
	}}
}

// coveredTwice lets one planned reminder be covered twice.
func coveredTwice(v *View) bool { return twice(v.Tables, "intent_step") }
