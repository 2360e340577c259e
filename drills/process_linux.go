package drills

import (
	"os/exec"
	"syscall"
)

// leadOwnGroup keeps a terminal's Ctrl-C from the worker: the parent tells it when to end.
func leadOwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
