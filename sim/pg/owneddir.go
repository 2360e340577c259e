package pg

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// roomWanted is what a data directory and its log may come to need, with as much again to spare.
const roomWanted = 1 << 30

// ownedDirBases are where directories of ours may stand: memory first, then what the user says.
func ownedDirBases() []string { return []string{"/dev/shm", os.TempDir()} }

// makeOwnedDir makes a directory with this process's name on it, which nobody else may enter.
func makeOwnedDir(purpose string) (string, error) {
	var errs []error
	for _, base := range ownedDirBases() {
		var fs unix.Statfs_t
		if err := unix.Statfs(base, &fs); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", base, err))
			continue
		}
		if free := fs.Bavail * uint64(fs.Bsize); free < roomWanted {
			errs = append(errs, fmt.Errorf("%s: %d MB are free, %d MB are wanted", base, free>>20, roomWanted>>20))
			continue
		}
		for n := 0; n < 100; n++ {
			dir := filepath.Join(base, thisOwner().directoryName(purpose)+suffixOf(n))
			err := os.Mkdir(dir, 0o700)
			if err == nil {
				return dir, nil
			}
			if !errors.Is(err, os.ErrExist) {
				errs = append(errs, err)
				break
			}
		}
	}
	return "", fmt.Errorf("no room for a server's directory: %w", joinErrors(errs...))
}

func suffixOf(n int) string {
	if n == 0 {
		return ""
	}
	return "-" + strconv.Itoa(n)
}

// removeOwnedDir tries again for a moment: a process that is just ending may still write into it.
func removeOwnedDir(dir string) error {
	const (
		tries = 50
		pause = 10 * time.Millisecond
	)
	var err error
	for n := 0; n < tries; n++ {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(pause)
	}
	return err
}
