package sim

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"strings"
)

// actorLabel is the pprof label of a task's goroutine; a `go` inherits it from whoever says it.
const actorLabel = "sim.actor"

// entry is the function every task's goroutine begins in.
const entry = "sim.(*Task).main"

// StrayTasks samples all goroutines and names those that a task started behind the kernel's back. Where the stack of
// one contains a word of allowed (a driver's own background work), it is let be. It stops the world for a moment:
// for a test or a sample of runs, not for each move.
func StrayTasks(allowed ...string) []string {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return []string{"the goroutines could not be sampled: " + err.Error()}
	}
	var out []string
	for _, group := range strings.Split(profile.String(), "\n\n") {
		_, labels, ok := strings.Cut(group, "# labels: {\""+actorLabel+"\":\"")
		if !ok || strings.Contains(group, entry) || containsAny(group, allowed) {
			continue
		}
		if !strings.Contains(group, "\n#\t0x") {
			continue // no frame: it is just being born or ending, as tasks do, and nothing can be said of it
		}
		actor, stack, _ := strings.Cut(labels, "\"")
		out = append(out, fmt.Sprintf("a goroutine started by %s with `go`:%s", actor, strings.TrimPrefix(stack, "}")))
	}
	return out
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
