//go:build newest

package river

import (
	"context"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// Mended says that river guards its rescuer against what it had read too early.
const Mended = true

// available takes jobs, as a producer does.
func available(ctx context.Context, exec riverdriver.Executor, params *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	r, err := exec.JobGetAvailable(ctx, params)
	if err != nil {
		return nil, err
	}
	return r.Jobs, nil
}
