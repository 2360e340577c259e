package reports_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
)

// FuzzDecode: whatever line can be read is written so that it reads the same again.
func FuzzDecode(f *testing.F) {
	for _, e := range night() {
		line, err := reports.Encode(e)
		require.NoError(f, err)
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		first, err := reports.Decode(line)
		if err != nil {
			return
		}
		once, err := reports.Encode(first)
		require.NoError(t, err)
		second, err := reports.Decode(once)
		require.NoError(t, err)
		twice, err := reports.Encode(second)
		require.NoError(t, err)
		require.Equal(t, string(once), string(twice))
	})
}
