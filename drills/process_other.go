//go:build !linux

package drills

import "os/exec"

// pinToCore is an optimisation that only Linux has.
func pinToCore(int) {}

func leadOwnGroup(*exec.Cmd) {}
