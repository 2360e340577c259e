package oracle

// intentOnce: a reconciliation decides at most once to remind a contact on a channel with a kind of message, and no two
// intents leave under one key.
func intentOnce() Oracle {
	return claim{name: "intent-once", spoil: decidedTwice, check: func(v View, s *seen) {
		decided, keys := map[string]string{}, map[string]string{}
		for _, intent := range rows(v.Tables, "intent") {
			s.look()
			id := intent.text("intent_id")
			identity := intent.key("job_id", "kind", "channel", "contact_id")
			if other, ok := decided[identity]; ok {
				s.broke("intent:"+id, "%s and %s are one decision: %s", other, id, identity)
			}
			decided[identity] = id
			key := intent.text("idempotency_key")
			if other, ok := keys[key]; ok {
				s.broke("intent:"+id, "%s and %s leave under one key, %s: the channel would drop one of them", other, id, key)
			}
			keys[key] = id
		}
	}}
}

// decidedTwice lets one reminder be decided twice.
func decidedTwice(v *View) bool { return twice(v.Tables, "intent") }
