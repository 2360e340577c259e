package pg

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strconv"
)

// runOwner is who made a directory, container or database, so that a later run can tell whether it is still wanted.
// A pid alone would not do: it is given away again. The place keeps processes of another machine, or of another
// container on the same Docker daemon, out of it: of them we cannot know whether they live.
type runOwner struct {
	place string // 8 hex digits of host name and pid namespace
	pid   int
	start int64 // what the machine says about when the process started
}

// Names with the owner in it: the proof travels with the thing from the moment it exists.
const (
	ownedDirPrefix      = "recondrill-"
	ownedDatabasePrefix = "recondrill_own_"
	ownedCommentPrefix  = "recondrill: owned by " // on a database that has its final name
)

var ownerText = regexp.MustCompile(`^([0-9a-f]{8})[-_](\d+)[-_](\d+)(?:[-_]|$)`)

func thisOwner() runOwner {
	start, _ := processStart(os.Getpid())
	return runOwner{place: thisPlace(), pid: os.Getpid(), start: start}
}

func thisPlace() string {
	host, _ := os.Hostname()
	space, _ := os.Readlink("/proc/self/ns/pid")
	sum := sha256.Sum256([]byte(host + "\x00" + space))
	return hex.EncodeToString(sum[:4])
}

func (o runOwner) String() string { return fmt.Sprintf("%s-%d-%d", o.place, o.pid, o.start) }

// directoryName is for what this process makes for a run.
func (o runOwner) directoryName(run string) string { return ownedDirPrefix + o.String() + "-" + run }

// databaseName is the first name of the n-th database of a run; the run is shortened, for the server's limit is 63 bytes.
func (o runOwner) databaseName(run string, n int) string {
	sum := sha256.Sum256([]byte(run))
	return fmt.Sprintf("%s%s_%d_%d_%x_%d", ownedDatabasePrefix, o.place, o.pid, o.start, sum[:4], n)
}

// parseOwner reads an owner at the start of text, in either spelling.
func parseOwner(text string) (runOwner, bool) {
	m := ownerText.FindStringSubmatch(text)
	if m == nil {
		return runOwner{}, false
	}
	pid, errPID := strconv.Atoi(m[2])
	start, errStart := strconv.ParseInt(m[3], 10, 64)
	return runOwner{place: m[1], pid: pid, start: start}, errPID == nil && errStart == nil
}

// dead says that the owner is known to have ended. An owner elsewhere is not known to.
func (o runOwner) dead() bool {
	if o.place != thisPlace() {
		return false
	}
	start, alive := processStart(o.pid)
	return !alive || start != o.start
}
