package drills

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/recondrill/recondrill/reports"
)

// journaled is what a campaign that was interrupted has in its journal; nil where there was none.
type journaled struct {
	start reports.Start
	runs  []reports.Run
}

// before reads the journal of an interrupted campaign and refuses one that this campaign would not go on with: the runs
// of two programs, or of two searches, make no report together.
func before(events []reports.Event, now reports.Start) (*journaled, error) {
	if len(events) == 0 {
		return nil, nil
	}
	j := &journaled{}
	started := false
	for _, e := range events {
		switch e := e.(type) {
		case reports.Start:
			j.start, started = e, true
		case reports.Run:
			j.runs = append(j.runs, e)
		case reports.Summary:
			if !e.Interrupted {
				return nil, &UsageError{fmt.Errorf("--resume: the campaign in the journal came to its end (%s, %s); accepted is one that was interrupted", e.Verdict, reports.Count(e.Runs, "run"))}
			}
		}
	}
	if !started {
		return nil, &UsageError{fmt.Errorf("--resume: the journal does not say which campaign it is of: it has no line of type start")}
	}
	for _, f := range []struct{ what, then, now string }{
		{"--seed", fmt.Sprint(j.start.Seed), fmt.Sprint(now.Seed)},
		{"--runs", fmt.Sprint(j.start.Runs), fmt.Sprint(now.Runs)},
		{"--for", j.start.For, now.For},
		{"--search", j.start.Search, now.Search},
		{"--statements", j.start.Statements, now.Statements},
		{"the drills", names(j.start.Drills), names(now.Drills)},
		{"whether drills are named", fmt.Sprint(j.start.Named), fmt.Sprint(now.Named)},
		{"the commit", j.start.Commit, now.Commit},
		{"the program", j.start.Binary, now.Binary},
	} {
		if f.then != f.now {
			return nil, &UsageError{fmt.Errorf("--resume: %s differ: the campaign in the journal has %s, this one %s; accepted is the same command with the same program", f.what, said(f.then), said(f.now))}
		}
	}
	return j, nil
}

func said(value string) string {
	if value == "" {
		return "none"
	}
	return value
}

func names(drills []reports.DrillInfo) string {
	var all []string
	for _, d := range drills {
		all = append(all, d.Name)
	}
	return fmt.Sprint(all)
}

// sameServer refuses to go on with another PostgreSQL than that of the journal.
func (j *journaled) sameServer(now reports.Postgres) error {
	if j == nil || j.start.Postgres == now {
		return nil
	}
	then := j.start.Postgres
	return &UsageError{fmt.Errorf("--resume: the campaign in the journal ran on PostgreSQL %s (%s), this one would on %s (%s); accepted is the same", then.Version, then.How, now.Version, now.How)}
}

// of are the runs of one drill, in the journal's order.
func (j *journaled) of(drill string) []reports.Run {
	if j == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(j.runs), func(r reports.Run) bool { return r.Drill != drill })
}

// spent is about how long the servers worked for what is in the journal.
func (j *journaled) spent(servers int) time.Duration {
	if j == nil {
		return 0
	}
	var wall int64
	for _, r := range j.runs {
		wall += r.WallMS
	}
	return time.Duration(wall/int64(max(servers, 1))) * time.Millisecond
}

// sameAs holds a run that was made again for what no journal has against its line there.
func (u underway) sameAs(run reports.Run) error {
	if u.known == nil || u.known.Hash == run.Hash && u.known.Verdict == run.Verdict {
		return nil
	}
	return fmt.Errorf("--resume: %s came to %s with hash %s, and stands in the journal as %s with hash %s: the two runs are not the same one", u.known.Title(),
		run.Verdict, run.Hash, u.known.Verdict, u.known.Hash)
}

// binary is a digest of this program: a campaign is gone on with by the one that began it. Empty where it can't be read.
func binary() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close() // only read
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
