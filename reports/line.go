package reports

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// MarshalJSON puts the type first, and lists and maps where the contract has them, never null.
func (s Start) MarshalJSON() ([]byte, error) {
	type plain Start
	s.Drills = list(s.Drills)
	return typed(s.event(), plain(s))
}

// MarshalJSON: see Start. What is said only of failures is left out of a pass, unless it is a sample, and is always there
// otherwise.
func (r Run) MarshalJSON() ([]byte, error) {
	type plain Run
	r.Deviations, r.Faults = list(r.Deviations), list(r.Faults)
	if r.Verdict == Pass && !r.Sample {
		r.Replay, r.Script = "", ""
	}
	if r.Verdict != Pass {
		r.Lost, r.Doubled = cmp.Or(r.Lost, &Damage{}), cmp.Or(r.Doubled, &Damage{})
	}
	return typed(r.event(), plain(r))
}

// MarshalJSON: see Start.
func (m Mark) MarshalJSON() ([]byte, error) {
	type plain Mark
	return typed(m.event(), plain(m))
}

// MarshalJSON: see Start.
func (s Summary) MarshalJSON() ([]byte, error) {
	type plain Summary
	if s.FaultsBitten == nil {
		s.FaultsBitten = map[string]int{}
	}
	if s.Canaries == nil {
		s.Canaries = map[string]bool{}
	}
	return typed(s.event(), plain(s))
}

// MarshalJSON: see Start.
func (d Damage) MarshalJSON() ([]byte, error) {
	type plain Damage
	if d.Money == nil {
		d.Money = map[string]int64{}
	}
	return json.Marshal(plain(d))
}

func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func typed(name string, fields any) ([]byte, error) {
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return append([]byte(`{"type":"`+name+`",`), body[1:]...), nil
}

// Encode is the event's line, without the newline.
func Encode(e Event) ([]byte, error) { return json.Marshal(e) }

// Decode reads one line.
func Decode(line []byte) (Event, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	switch head.Type {
	case "start":
		return fields[Start](line)
	case "run":
		return fields[Run](line)
	case "mark":
		return fields[Mark](line)
	case "summary":
		return fields[Summary](line)
	default:
		return nil, fmt.Errorf("type %q: accepted are start, run, mark and summary", head.Type)
	}
}

func fields[E Event](line []byte) (Event, error) {
	var e E
	if err := json.Unmarshal(line, &e); err != nil {
		return nil, fmt.Errorf("%s: %w", e.event(), err)
	}
	return e, nil
}
