package oracle

// oneText: whatever was asked for under a key is asked for under it for ever. Who knows the key answers with what came of
// the first text, so another one would be taken for done.
func oneText() Oracle {
	return claim{name: "one-text", spoil: otherText, check: func(v View, s *seen) {
		if v.Truth == nil {
			return
		}
		first := map[string]int{} // service and key → its first call
		for i, c := range v.Truth.Calls {
			if c.Key == "" || !oneOf(c.What, "send", "refund") {
				continue
			}
			s.look()
			key := c.Service + " " + c.Key
			before, again := first[key]
			if !again {
				first[key] = i
				continue
			}
			if was := v.Truth.Calls[before]; was.Asked != c.Asked {
				s.broke("call:"+c.Label, "%s was asked at %s for something else under %s than at %s", c.Service, stamp(c.At), c.Key, stamp(was.At))
			}
		}
	}}
}

// otherText asks again for the first act, and for something else.
func otherText(v *View) bool {
	if v.Truth == nil {
		return false
	}
	for _, c := range v.Truth.Calls {
		if c.Key != "" && oneOf(c.What, "send", "refund") {
			c.Asked += " more"
			v.Truth.Calls = append(v.Truth.Calls, c)
			return true
		}
	}
	return false
}
