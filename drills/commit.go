package drills

import (
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"
)

// commit names what was built, from the build's own stamp, else what git says of the working directory: `go run`
// stamps nothing. Empty where neither knows.
func commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	out, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// runID names a campaign's servers, directories and databases.
func runID() string { return fmt.Sprintf("%d_%x", os.Getpid(), time.Now().UnixNano()&0xffffff) }
