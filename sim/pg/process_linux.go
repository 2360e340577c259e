package pg

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
// counted round; -1 is none. A statement is a hand-over from here to the server and back: within a core it costs half of what it costs
// across two, and far less than that on a virtual machine. Slower without, never wrong: what can't be pinned stays as it is.
func PinToCore(n int) {
	set, ok := nthCore(n)
	if !ok {
		return
	}
	threads, _ := os.ReadDir("/proc/self/task") // an affinity belongs to a thread; new ones inherit it
	for _, t := range threads {
		if tid, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.SchedSetaffinity(tid, &set)
		}
	}
}

// pinThread is PinToCore for the calling thread.
func pinThread(n int) {
	if set, ok := nthCore(n); ok {
		_ = unix.SchedSetaffinity(0, &set)
	}
}

// nthCore is the n-th core that we may use, alone. Their numbers need not begin at 0, nor be without gaps.
func nthCore(n int) (one unix.CPUSet, ok bool) {
	var ours unix.CPUSet
	if n < 0 || unix.SchedGetaffinity(0, &ours) != nil || ours.Count() == 0 {
		return one, false
	}
	one.Set(coreNumbers(&ours)[n%ours.Count()])
	return one, true
}

func coreNumbers(set *unix.CPUSet) (numbers []int) {
	for core := 0; len(numbers) < set.Count(); core++ {
		if set.IsSet(core) {
			numbers = append(numbers, core)
		}
	}
	return numbers
}

// coreList is the n-th core as Docker wants to be told it.
func coreList(n int) string {
	one, ok := nthCore(n)
	if !ok {
		return ""
	}
	return strconv.Itoa(coreNumbers(&one)[0])
}
