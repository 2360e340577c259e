package reports

import (
	"fmt"
	"slices"
	"strings"
)

// ReplayFile is the replay command of a run that only its script replays, as long as nobody has put the script in a file.
const ReplayFile = "recondrill replay FILE (its script is in the report)"

// Title names a run among all of a campaign: "lost-lease, seed 7", or "lost-lease, sweep 12 (seed 1)".
func (r Run) Title() string {
	if r.Rung == "" {
		return fmt.Sprintf("%s, seed %d", r.Drill, r.Seed)
	}
	return fmt.Sprintf("%s, %s %d (seed %d)", r.Drill, r.Rung, r.Trial, r.Seed)
}

// scripted are the deviations of the run's script: the lines after the first blank one.
func (r Run) scripted() []string {
	_, body, _ := strings.Cut(r.Script, "\n\n")
	var deviations []string
	for line := range strings.Lines(body) {
		if words := strings.Fields(line); len(words) > 0 && !strings.HasPrefix(words[0], "#") {
			deviations = append(deviations, strings.Join(words, " "))
		}
	}
	return deviations
}

// Shrunk says that story and script are of another run than hash, deviations and marks: of the one with the fewest
// deviations that fails like the one that was found.
func (r Run) Shrunk() bool {
	asFound := make([]string, len(r.Deviations))
	for i, d := range r.Deviations {
		asFound[i] = strings.Join(strings.Fields(d), " ")
	}
	return r.Script != "" && !slices.Equal(r.scripted(), asFound)
}

// StoryTitle says whose story it is.
func (r Run) StoryTitle() string {
	if r.Shrunk() {
		return fmt.Sprintf("The story (shrunk from %s to %d):", Count(len(r.Deviations), "deviation"), len(r.scripted()))
	}
	return "The story:"
}

// Finding says who found a violation and what it stands for; empty for any other verdict.
func (r Run) Finding() string {
	if r.Verdict != Violation || r.Oracle == "" {
		return ""
	}
	text := "found by the oracle " + r.Oracle
	if words := OracleWords(r.Oracle); words != "" {
		text += ": " + words
	}
	return text
}

// Way is one way to see a run again.
type Way struct {
	What    string // what is seen
	Command string // empty where no command brings it back
	Hash    string // of what is seen; empty where none is claimed, or the script has it
}

// String is what is seen, with its hash.
func (w Way) String() string {
	if w.Hash == "" {
		return w.What
	}
	return w.What + ", hash " + w.Hash
}

// Ways are the ways to see a run again: by its script, and as it was found.
func (r Run) Ways() []Way {
	var ways []Way
	bySeed := strings.Contains(r.Replay, " --seed ")
	if r.Script != "" {
		way := Way{What: "Replay the script", Command: "recondrill replay FILE"}
		if r.ScriptFile != "" {
			way.Command = "recondrill replay " + r.ScriptFile
		}
		switch {
		case r.Shrunk():
			way.What = "Replay the shrunk run"
		case !bySeed:
			way.Hash = r.Hash
		}
		ways = append(ways, way)
	}
	switch {
	case bySeed && r.Script == "":
		ways = append(ways, Way{What: "Replay", Command: r.Replay, Hash: r.Hash})
	case bySeed:
		ways = append(ways, Way{What: "As found", Command: r.Replay, Hash: r.Hash})
	case r.Shrunk():
		ways = append(ways, Way{What: "As found (its deviations are in the journal)", Hash: r.Hash})
	}
	return ways
}
