package pg

import (
	"context"
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	PinToCore(FreeCore())
	code := m.Run()
	if s, err := sharedServer(); err == nil { // started now where no test did
		if err := s.Close(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
