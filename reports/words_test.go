package reports_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
)

// TestOracleWords_EveryOracleIsSaidInPlainWords reads the names in the source: reports imports nothing of ours.
func TestOracleWords_EveryOracleIsSaidInPlainWords(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`claim\{name: "([a-z-]+)"`)
	files, err := filepath.Glob("../sim/oracle/*.go")
	require.NoError(t, err)
	named := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range name.FindAllSubmatch(text, -1) {
			named++
			require.NotEmpty(t, reports.OracleWords(string(match[1])), "%s: %s", file, match[1])
		}
	}
	require.NotZero(t, named)
}
