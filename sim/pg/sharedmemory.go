package pg

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// sharedSegment is the small System V segment by which a postmaster keeps a second one away from its data directory. A
// postmaster that was killed leaves it behind, and only its directory tells which it is.
type sharedSegment struct{ postmaster, key, id int }

// sharedMemoryOf reads lines 1 (pid) and 7 (key and id) of postmaster.pid; zero when there is none.
func sharedMemoryOf(dir string) sharedSegment {
	text, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	lines := bytes.Split(text, []byte("\n"))
	if err != nil || len(lines) < 7 {
		return sharedSegment{}
	}
	fields := strings.Fields(string(lines[6]))
	if len(fields) != 2 {
		return sharedSegment{}
	}
	postmaster, _ := strconv.Atoi(strings.TrimSpace(string(lines[0])))
	key, _ := strconv.Atoi(fields[0])
	id, _ := strconv.Atoi(fields[1])
	return sharedSegment{postmaster, key, id}
}

// exists says whether the segment is still that postmaster's: its id may have been given away since.
func (s sharedSegment) exists() bool {
	var found unix.SysvShmDesc
	_, err := unix.SysvShmCtl(s.id, unix.IPC_STAT, &found)
	return s.postmaster != 0 && err == nil && int(found.Cpid) == s.postmaster
}

// remove removes the segment; the kernel keeps it until the last process that uses it has ended.
func (s sharedSegment) remove() {
	if s.exists() {
		_, _ = unix.SysvShmCtl(s.id, unix.IPC_RMID, nil)
	}
}
