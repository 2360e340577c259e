package pg

import (
	"fmt"
	"regexp"
	"strconv"
)

// The major versions that drills are proved on.
const (
	majorMin = 15
	majorMax = 18
)

// serverVersion is major and minor.
type serverVersion struct{ major, minor int }

func (v serverVersion) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

// UnsupportedError says that a server is outside the supported versions.
type UnsupportedError struct {
	Version string // as "14.9"
	What    string // which server: "image postgres:14", a directory, "the given server"
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("PostgreSQL %s (%s) is not supported: accepted are %d to %d", e.Version, e.What, majorMin, majorMax)
}

// check returns *UnsupportedError outside the supported range.
func (v serverVersion) check(what string) error {
	if v.major < majorMin || v.major > majorMax {
		return &UnsupportedError{Version: v.String(), What: what}
	}
	return nil
}

var versionText = regexp.MustCompile(`^(?:postgres \(PostgreSQL\) )?(\d+)(?:\.(\d+))?`)

// parseServerVersion reads what a server reports when a session starts ("15.18 (Debian 15.18-0+deb12u1)") and what its
// program prints ("postgres (PostgreSQL) 15.18"). 19devel and 19beta1 are 19.0, 9.6.24 is 9.6.
func parseServerVersion(text string) (serverVersion, error) {
	m := versionText.FindStringSubmatch(text)
	if m == nil {
		return serverVersion{}, fmt.Errorf("version %q: accepted is one such as 15.18", text)
	}
	major, err := strconv.Atoi(m[1])
	if err != nil {
		return serverVersion{}, fmt.Errorf("version %q: %w", text, err)
	}
	minor, _ := strconv.Atoi(m[2]) // none in 19devel
	return serverVersion{major: major, minor: minor}, nil
}
