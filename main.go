// Command recondrill drills the reconciliation engine; see package drills/cli.
package main

import (
	"os"

	"github.com/recondrill/recondrill/drills/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
