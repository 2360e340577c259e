package cli

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTrace_NamesStatementsInsteadOfPrintingThem(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"0.0 w#0/main sql:Beat/1 statement: -- name: Beat :exec update recon.member set a = $1 #630881b8cd62": "0.0 w#0/main sql:Beat/1 statement: Beat #630881b8cd62",
		"0.0 w#0/main sql:Look/1 statement: -- name: Look :many select 1":                                     "0.0 w#0/main sql:Look/1 statement: Look",
		"0.0 w#0/main sql:unnamed/1 statement: select 2":                                                      "0.0 w#0/main sql:unnamed/1 statement: select 2",
		"0.0 w#0/main sql:Beat/1 answer: UPDATE 1":                                                            "0.0 w#0/main sql:Beat/1 answer: UPDATE 1",
	} {
		var out bytes.Buffer
		fmt.Fprintln(shortSQL{&out}, line)
		require.Equal(t, want+"\n", out.String())
	}
}
