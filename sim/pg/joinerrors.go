package pg

import "fmt"

// joinErrors is errors.Join on one line, for what reaches a person's terminal.
func joinErrors(errs ...error) error {
	var out error
	for _, err := range errs {
		switch {
		case err == nil:
		case out == nil:
			out = err
		default:
			out = fmt.Errorf("%w; %w", out, err)
		}
	}
	return out
}
