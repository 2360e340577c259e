//go:build !linux

package pg

import (
	"hash/fnv"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// processStart is when a process started, as a number made of what ps prints; false when there is none.
func processStart(pid int) (int64, bool) {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	text := strings.TrimSpace(string(out))
	if err != nil || text == "" {
		return 0, false
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	return int64(h.Sum32()), true
}

// serverProcesses finds the programs of PostgreSQL that were told of something below a path. Backends have titles instead of
// arguments and are not found: the postmaster ends them.
func serverProcesses(path string) []int {
	out, err := exec.Command("ps", "-axo", "pid=,command=").Output()
	if err != nil {
		return nil
	}
	var pids []int
	for _, line := range strings.Split(string(out), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 2 || !strings.Contains(line, path) {
			continue
		}
		if !strings.HasSuffix(fields[1], "/postgres") && !strings.HasSuffix(fields[1], "/initdb") {
			continue
		}
		if pid, err := strconv.Atoi(fields[0]); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// childAttributes as on Linux, without the signal at our death, which only Linux has: the next run's sweep ends the child.
func childAttributes(credential *syscall.Credential, _ syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: credential}
}

// PinToCore is an optimisation that only Linux has.
func PinToCore(int) {}

// FreeCore is any.
func FreeCore() int { return 0 }

func pinThread(int) {}

func coreList(int) string { return "" }
