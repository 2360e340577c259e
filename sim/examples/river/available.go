//go:build !newest

package river

import (
	"context"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// Mended says that river guards its rescuer against what it had read too early.
const Mended = false

// available takes jobs, as a producer does. (This call answers otherwise in later versions: newest.go.)
func available(ctx context.Context, exec riverdriver.Executor, params *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	return exec.JobGetAvailable(ctx, params)
}
