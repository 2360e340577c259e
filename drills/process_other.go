//go:build !linux

package drills

import "os/exec"

func leadOwnGroup(*exec.Cmd) {}
