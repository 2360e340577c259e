package pg

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Shake makes later runs replicas of runs made before, on a server that differs in all that must make no difference: plans
// (custom ones, other joins and scans), which of the warm sessions a connection gets, how long an answer takes by the real
// clock, where rows lie on disk and what dead ones lie between them. Hashes must be the same; where they differ, a statement
// says too little about order. Each seed shakes in another way. Shake(0) ends it. It is called between runs.
func (s *Sessions) Shake(seed uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shake = nil
	if seed != 0 {
		s.shake = &shaking{seed: seed, profile: profileOf(seed)}
	}
}

// shaking draws what differs in a shaken run. nil draws nothing. Needs mu of its Sessions.
type shaking struct {
	seed, drawn uint64
	profile     string // how sessions plan, as statements
}

// below is a number from 0 to n-1.
func (k *shaking) below(n int) int {
	if k == nil {
		return 0
	}
	k.drawn++
	return int(mix(k.seed^k.drawn*0x9e3779b97f4a7c15) % uint64(n))
}

// mix spreads the bits of a number over all of it.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// profiles are the settings that decide plans, each with what it may be in a shaken run.
var profiles = []struct {
	setting string
	values  []string
}{
	{"plan_cache_mode", []string{"force_custom_plan", "auto"}},
	{"enable_seqscan", []string{"on", "off"}},
	{"enable_hashjoin", []string{"on", "off"}},
	{"enable_mergejoin", []string{"on", "off"}},
	{"enable_nestloop", []string{"on", "off"}},
	{"enable_indexscan", []string{"on", "off"}},
	{"enable_bitmapscan", []string{"on", "off"}},
	{"enable_hashagg", []string{"on", "off"}},
	{"work_mem", []string{"'64kB'", "'4MB'"}},
}

// profileOf is how sessions plan: the same in all runs of one seed.
func profileOf(seed uint64) string {
	var set []string
	for i, p := range profiles {
		set = append(set, "SET "+p.setting+"="+p.values[mix(seed+uint64(i))%uint64(len(p.values))])
	}
	return strings.Join(set, "; ")
}

// unshaken puts a session back to how it planned at its start.
func unshaken() string {
	var set []string
	for _, p := range profiles {
		set = append(set, "RESET "+p.setting)
	}
	return strings.Join(set, "; ")
}

// replan is what a session must be told to plan as this run does; "" where it knows. Warm sessions are told, not replaced:
// a new one costs more than the run.
func (s *Sessions) replan(on *session) string {
	profile := ""
	if s.shake != nil {
		profile = s.shake.profile
	}
	if profile == on.profile {
		return ""
	}
	on.profile = profile
	return cmp.Or(profile, unshaken())
}

// dawdle lets real time pass at some gates.
func (s *Sessions) dawdle() {
	s.mu.Lock()
	pause := 0
	if s.shake.below(8) == 1 {
		pause = s.shake.below(400)
	}
	s.mu.Unlock()
	if pause > 0 {
		time.Sleep(time.Duration(pause) * time.Microsecond)
	}
}

// leaves says that the dead rows of the run before stay where they are.
func (s *Sessions) leaves() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shake.below(4) > 0
}

// shaken are the statements that fill in the base: in order, or shaken, after rows that were put in and deleted again.
func (s *Sessions) shaken(b *base) (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range b.rows {
		if s.shake == nil {
			out = append(out, r.insert)
			continue
		}
		shuffled := Table{Columns: r.rows.Columns, Rows: slices.Clone(r.rows.Rows)}
		for i := len(shuffled.Rows) - 1; i > 0; i-- {
			j := s.shake.below(i + 1)
			shuffled.Rows[i], shuffled.Rows[j] = shuffled.Rows[j], shuffled.Rows[i]
		}
		if s.replica {
			out = append(out, r.insert, "delete from "+r.table.quoted)
		}
		out = append(out, insertAll(r.table, shuffled))
	}
	return out
}
