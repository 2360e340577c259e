package pg

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// OpenNearest gives the server that is there soonest: local programs where they are, else the first way that works. For
// tests that need one and do not care which.
func OpenNearest(ctx context.Context, o Options) (*Server, error) {
	o.How = "local"
	s, err := Open(ctx, o)
	if errors.Is(err, ErrNoWay) {
		o.How = "auto"
		return Open(ctx, o)
	}
	return s, err
}

// NearestHow is the way that OpenNearest goes, for Options.How of who opens a server elsewhere.
func NearestHow() string {
	if localWay().Missing == "" {
		return "local"
	}
	return "auto"
}

// RunTests runs a package's tests (m is their *testing.M) on the nearest server, which ready gets before the first of
// them and which is closed after the last. It gives the exit code; name is the package's, for directories and labels. The
// tests and their server stay on one core, which is faster than two: see PinToCore.
func RunTests(m interface{ Run() int }, name string, ready func(ctx context.Context, s *Server) error) int {
	ctx := context.Background()
	PinToCore(FreeCore())
	s, err := OpenNearest(ctx, Options{Run: fmt.Sprintf("%s-%d", name, os.Getpid()), Core: 0})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer s.Close(ctx)
	if err := ready(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
