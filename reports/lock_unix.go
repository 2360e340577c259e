//go:build unix

package reports

import (
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks an open file for this process; false where another one has it.
func tryLock(file *os.File) bool {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}
