package pg

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseServerVersion_ReadsWhatServersAndProgramsSay(t *testing.T) {
	for text, want := range map[string]string{
		"15.18 (Debian 15.18-0+deb12u1)":                       "15.18",
		"postgres (PostgreSQL) 17.12 (Debian 17.12-0+deb13u1)": "17.12",
		"18beta1":                       "18.0",
		"postgres (PostgreSQL) 19devel": "19.0",
		"9.6.24":                        "9.6",
		"16.9 (Homebrew)":               "16.9",
		"postgres (PostgreSQL) 14.18\n": "14.18",
	} {
		got, err := parseServerVersion(text)
		require.NoError(t, err)
		require.Equal(t, want, got.String())
	}
	for _, text := range []string{"", "PostgreSQL", "postgres (EDB) 15.1", "99999999999999999999.1"} {
		_, err := parseServerVersion(text)
		require.Error(t, err, text)
	}
}

func TestVersionCheck_RefusesByName(t *testing.T) {
	for _, major := range []int{9, 14, 19} {
		err := serverVersion{major: major, minor: 3}.check("image postgres:x")
		var unsupported *UnsupportedError
		require.ErrorAs(t, err, &unsupported)
		require.Equal(t, "image postgres:x", unsupported.What)
		require.ErrorContains(t, err, serverVersion{major: major, minor: 3}.String())
		require.ErrorContains(t, err, "15 to 18")
	}
	for major := majorMin; major <= majorMax; major++ {
		require.NoError(t, serverVersion{major: major}.check("x"))
	}
}
