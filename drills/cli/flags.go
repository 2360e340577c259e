package cli

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

// seed is a flag's value: every 64 bit number names a run.
type seed uint64

func (s *seed) String() string { return strconv.FormatUint(uint64(*s), 10) }
func (s *seed) Type() string   { return "N" }

// Set reads a seed; pflag puts flag and text before the error.
func (s *seed) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("accepted is a whole number from 0 to %d", uint64(math.MaxUint64))
	}
	*s = seed(n)
	return nil
}

// count is a flag's value: a whole number from 1.
type count int

func (c *count) String() string { return strconv.Itoa(int(*c)) }
func (c *count) Type() string   { return "N" }

func (c *count) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return fmt.Errorf("accepted is a whole number from 1")
	}
	*c = count(n)
	return nil
}

// period is a flag's value: a duration above zero.
type period time.Duration

func (p *period) String() string {
	if *p == 0 {
		return ""
	}
	return time.Duration(*p).String()
}
func (p *period) Type() string { return "DURATION" }

func (p *period) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return fmt.Errorf("accepted is a duration above zero, like 90s or 30m")
	}
	*p = period(d)
	return nil
}

// server is where the PostgreSQL comes from, for every command that needs one.
type server struct{ postgres, image, statements string }

func (s *server) flags(cmd *cobra.Command, image string) {
	cmd.Flags().StringVar(&s.statements, "statements", "", "the provider's truth from exported statements in this `DIR`: NAME.csv with NAME.ledger.csv")
	cmd.Flags().StringVar(&s.postgres, "postgres", "auto", "`HOW` to get PostgreSQL: auto, container, local, or the DSN of a database marked for drills")
	cmd.Flags().StringVar(&s.image, "image", image, "container image `NAME`; the default is RECONDRILL_POSTGRES_IMAGE, else the first that is there")
}
