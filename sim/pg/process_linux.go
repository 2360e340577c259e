package pg

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// processStart is when a process started, in the kernel's ticks since boot; false when there is none (a zombie is none).
func processStart(pid int) (int64, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return 0, false
	}
	start, err := strconv.ParseInt(fields[19], 10, 64) // field 22 of the whole line
	return start, err == nil
}

// serverProcesses finds the processes of PostgreSQL that work below a path: they stand there, or were told of it.
// Only its own programs count, so that a person's shell or pager in there is left alone.
func serverProcesses(path string) []int {
	entries, _ := os.ReadDir("/proc")
	var out []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		program, err := os.Readlink(filepath.Join("/proc", entry.Name(), "exe"))
		if err != nil {
			continue
		}
		if base := strings.TrimSuffix(filepath.Base(program), " (deleted)"); base != "postgres" && base != "initdb" {
			continue
		}
		cwd, _ := os.Readlink(filepath.Join("/proc", entry.Name(), "cwd"))
		args, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		if strings.HasPrefix(cwd, path) || bytes.Contains(args, []byte(path)) {
			out = append(out, pid)
		}
	}
	return out
}

// childAttributes are for a program of PostgreSQL that must not outlive us: its own process group (an interrupt at the
// terminal is ours to handle), the user to be, and the signal it gets when our thread ends. That thread must therefore be
// locked for as long as the child lives.
func childAttributes(credential *syscall.Credential, whenWeDie syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: credential, Pdeathsig: whenWeDie}
}

// PinToCore keeps this process, and every process that it starts from now on, on the n-th of the cores that it may use,
// counted round; -1 is none. Each statement is a hand-over to the server and back, which is cheaper within a core than across
// two. Slower without, never wrong: what can't be pinned stays as it is.
func PinToCore(n int) {
	core := nthCore(n)
	for _, tid := range threads() { // an affinity belongs to a thread; new ones inherit it
		pin(tid, core)
	}
}

// threads are this process's, by their numbers.
func threads() []int {
	entries, _ := os.ReadDir("/proc/self/task")
	var out []int
	for _, entry := range entries {
		if tid, err := strconv.Atoi(entry.Name()); err == nil {
			out = append(out, tid)
		}
	}
	return out
}

// FreeCore is a core for this process, as PinToCore and Options count them: the one that fewest of this user's processes have
// taken in this way. It is taken until the process ends.
func FreeCore() int { return freeCore() }

var freeCore = sync.OnceValue(func() int {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("recondrill-cores-%d", os.Getuid()))
	_ = os.MkdirAll(dir, 0o700)
	for n := range coresMax {
		fd, err := unix.Open(filepath.Join(dir, strconv.Itoa(n)), unix.O_CREAT|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
		if err != nil {
			break
		}
		if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
			return n // and fd stays open: the lock is the system's to take back
		}
		_ = unix.Close(fd)
	}
	return os.Getpid() // a guess is only slower
})

// coresMax bounds how many processes tell each other which core they took.
const coresMax = 64

// pinThread is PinToCore for the calling thread.
func pinThread(n int) { pin(0, nthCore(n)) }

func pin(tid, core int) {
	if core < 0 {
		return
	}
	var set unix.CPUSet
	set.Set(core)
	_ = unix.SchedSetaffinity(tid, &set)
}

// coreList is the n-th core as Docker wants to be told it; empty is any.
func coreList(n int) string {
	if core := nthCore(n); core >= 0 {
		return strconv.Itoa(core)
	}
	return ""
}

// nthCore is the machine's number of the n-th core that we may use; -1 is none. The numbers need not begin at 0, nor be
// without gaps.
func nthCore(n int) int {
	var ours unix.CPUSet
	if n < 0 || unix.SchedGetaffinity(0, &ours) != nil || ours.Count() == 0 {
		return -1
	}
	left := n % ours.Count()
	for core := 0; ; core++ {
		if !ours.IsSet(core) {
			continue
		}
		if left == 0 {
			return core
		}
		left--
	}
}
