package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnwanted_NobodyIsWrittenToWhoWantsNothing(t *testing.T) {
	t.Parallel()
	no := set("contact", 0, "opted_out", "t")
	finds(t, "unwanted", "e1 was written to at 2026-03-02 02:01:30 and wants to hear nothing", no)
	told := also("receipt", 0, "receipt_id", "r2", "kind", "opted_out", "received_at", "2026-03-02 02:03:00+00")
	accepts(t, "unwanted", no, told)
	early := also("receipt", 0, "receipt_id", "r2", "kind", "complained", "received_at", "2026-03-02 01:00:00+00")
	finds(t, "unwanted", "we knew since 2026-03-02 01:00:00 that they want to hear nothing", no, early)
	justBefore := also("receipt", 0, "receipt_id", "r2", "kind", "complained", "received_at", "2026-03-02 02:00:00+00")
	accepts(t, "unwanted", no, justBefore)
}

func TestUnwanted_NobodyIsWrittenToWhoseAddressCameBack(t *testing.T) {
	t.Parallel()
	finds(t, "unwanted", "that the address is no good", set("receipt", 0, "kind", "bounced"), set("receipt", 0, "received_at", "2026-03-02 01:00:00+00"))
	accepts(t, "unwanted", set("receipt", 0, "kind", "bounced"))
}

func TestUnwanted_NothingBeginsThatAPersonHadStopped(t *testing.T) {
	t.Parallel()
	finds(t, "unwanted", "a person had stopped channel:email since 2026-03-02 01:00:00", drop("audit", 1))
	finds(t, "unwanted", "a person had stopped all since", drop("audit", 1), set("audit", 0, "record", "pause:all:"))
	finds(t, "unwanted", "a person had stopped account:acct_1 since", drop("audit", 1), set("audit", 0, "record", "pause:account:acct_1"))
	refund := finds(t, "unwanted", "a person had stopped provider since", drop("audit", 1), set("audit", 0, "record", "pause:provider:"))
	require.Equal(t, "correction:b1/1", refund.Record)
	accepts(t, "unwanted", drop("audit", 1), set("audit", 0, "record", "pause:channel:sms"))
	accepts(t, "unwanted", drop("audit", 1), set("audit", 0, "at", "2026-03-02 02:01:25+00"))
}
