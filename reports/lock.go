package reports

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// pidFile names who writes into a folder, for the message to whoever else wants to. The lock is on the folder itself and
// ends with its process, however that ends, so a pid that was left behind does no harm.
const pidFile = "pid" + unfinished

// InUseError says that another campaign is writing into a folder: two reports in one place would be none.
type InUseError struct {
	Dir string
	PID int // 0 where it is not known
}

func (e *InUseError) Error() string {
	who := "another campaign"
	if e.PID > 0 {
		who = fmt.Sprintf("another campaign, process %d,", e.PID)
	}
	return fmt.Sprintf("%s: %s writes its report there; accepted is another folder, or to wait for its end", e.Dir, who)
}

// lock is a folder that is ours alone.
type lock struct {
	dir  string
	file *os.File
}

// lockFolder takes a folder for this process; *InUseError where another one has it.
func lockFolder(dir string) (*lock, error) {
	file, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if !tryLock(file) {
		_ = file.Close() // only opened
		return nil, &InUseError{Dir: dir, PID: writer(dir)}
	}
	l := &lock{dir, file}
	if err := os.WriteFile(filepath.Join(dir, pidFile), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644); err != nil {
		l.release()
		return nil, err
	}
	return l, nil
}

func writer(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, pidFile))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

func (l *lock) release() {
	_ = os.Remove(filepath.Join(l.dir, pidFile)) // before the lock: afterwards it may be another's
	_ = l.file.Close()
}
