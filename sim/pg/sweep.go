package pg

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// sweepDirectories removes what dead owners left on this machine: server processes first, then the directory with its
// socket. It never fails an Open: what cannot be removed is told and left to the next run.
func sweepDirectories(logf func(string, ...any)) {
	bases := ownedDirBases()
	if base, err := keptBase(); err == nil {
		bases = append(bases, base)
	}
	for _, base := range bases {
		dirs, _ := filepath.Glob(filepath.Join(base, ownedDirPrefix+"*"))
		for _, dir := range dirs {
			owner, ok := parseOwner(strings.TrimPrefix(filepath.Base(dir), ownedDirPrefix))
			if !ok || !owner.dead() {
				continue
			}
			if err := joinErrors(endLeftovers(dir), removeOwnedDir(dir)); err != nil {
				logf("left by a dead run and not to be removed: %v", err)
				continue
			}
			logf("removed %s, left by a run (process %d) that is dead", dir, owner.pid)
		}
	}
}

// endLeftovers ends the server processes of a directory whose owner is dead. Some may be stopped: they act on a signal
// only once they go on.
func endLeftovers(dir string) error {
	const (
		politeMax = 2 * time.Second
		pause     = 5 * time.Millisecond
	)
	segment := sharedMemoryOf(dir)
	defer segment.remove()
	signal := syscall.SIGQUIT
	for start := time.Now(); time.Since(start) < politeMax+shutdownMax; time.Sleep(pause) {
		pids := serverProcesses(dir + "/")
		if len(pids) == 0 {
			return nil
		}
		if time.Since(start) > politeMax {
			signal = syscall.SIGKILL
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, signal)
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}
	return fmt.Errorf("processes %v of %s do not end", serverProcesses(dir+"/"), dir)
}
