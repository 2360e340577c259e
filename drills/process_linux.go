package drills

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// pinToCore keeps this process beside its server: a hand-over within a core is cheaper than one across.
func pinToCore(core int) {
	if core < 0 {
		return
	}
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil || !set.IsSet(core) {
		return // a machine that gives us fewer cores than it counts
	}
	set.Zero()
	set.Set(core)
	threads, _ := os.ReadDir("/proc/self/task") // an affinity belongs to a thread; new ones inherit it
	for _, t := range threads {
		if tid, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.SchedSetaffinity(tid, &set) // slower without, never wrong
		}
	}
}

// leadOwnGroup keeps a terminal's Ctrl-C from the worker: the parent tells it when to end.
func leadOwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
