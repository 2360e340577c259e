package postgres_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine/calendar"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/postgres"
)

// liar is a connection that answers each statement with a count of nine rows, whatever was done.
type liar struct {
	net.Conn
	in, out []byte
}

func (c *liar) Read(b []byte) (int, error) {
	for len(c.out) == 0 {
		n, err := c.Conn.Read(b)
		if err != nil {
			return 0, err
		}
		c.in = append(c.in, b[:n]...)
		for len(c.in) >= 5 {
			end := 1 + int(binary.BigEndian.Uint32(c.in[1:]))
			if len(c.in) < end {
				break
			}
			c.out = append(c.out, lie(c.in[:end])...)
			c.in = c.in[end:]
		}
	}
	n := copy(b, c.out)
	c.out = c.out[n:]
	return n, nil
}

// lie rewrites a CommandComplete: SELECT 0 becomes SELECT 9.
func lie(message []byte) []byte {
	if message[0] != 'C' {
		return message
	}
	tag := bytes.TrimSuffix(message[5:], []byte{0})
	i := bytes.LastIndexByte(tag, ' ')
	if i < 0 {
		return message // BEGIN, COMMIT
	}
	tag = append(append([]byte{}, tag[:i]...), " 9\x00"...)
	return append(binary.BigEndian.AppendUint32([]byte{'C'}, uint32(4+len(tag))), tag...)
}

// lied is a process whose driver is told counts that are never true.
func lied(t *testing.T, s *enginetest.Stage, n int) *postgres.DB {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(running.ConnString(s.Text("select current_database()")))
	require.NoError(t, err)
	cfg.ConnConfig.RuntimeParams["role"] = "recon_engine"
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		return &liar{Conn: c}, err
	}
	db, err := postgres.Open(s.Ctx, enginetest.NewRuntime(uint64(100+n)), cfg, postgres.Options{Member: fmt.Sprint("liar-", n)})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

// B03: the driver tells every node that its insert took a row, and its claim one too.
func TestAdmit_CountsThatLieMakeNobodyAWinner(t *testing.T) {
	s := server.Open(t)
	plan := calendar.Plan{Zone: time.UTC, Unit: calendar.Daily, Anchor: calendar.Date{Year: 2026, Month: 3, Day: 1}}
	require.NoError(t, s.DB.AddAccounts(s.Ctx, []postgres.Account{{ID: "a", Zone: "UTC"}}))
	require.NoError(t, s.DB.AddWindows(s.Ctx, []postgres.Window{{Account: "a", Window: plan.First()}}))
	type answer struct {
		postgres.Admission
		request string
		err     error
	}
	const nodes = 4
	answers := make(chan answer, nodes)
	var all []*postgres.DB
	for n := range nodes {
		all = append(all, lied(t, s, n))
	}
	for n, db := range all {
		go func() {
			request := fmt.Sprint("request-", n)
			a, err := db.Admit(s.Ctx, postgres.Slot{At: enginetest.Morning, Night: "2026-03-02", Token: "nightly", RequestID: request,
				CorrelationID: "c", Bound: 10, LateAfter: time.Minute}, func([]postgres.Picked) ([]postgres.Window, []postgres.Alarm) { return nil, nil })
			answers <- answer{a, request, err}
		}()
	}
	var winners []string
	for range nodes {
		got := <-answers
		require.NoError(t, got.err)
		if !got.Duplicate {
			require.Equal(t, got.request, got.RequestID)
			winners = append(winners, got.request)
		}
	}
	require.Len(t, winners, 1)
	require.Equal(t, winners[0]+" 1 1", s.Text("select request_id, inserted, (select count(*) from recon.job) from recon.admission"))
	held := 0
	for _, db := range all {
		held += len(claim(t, db, 5))
	}
	require.Equal(t, 1, held)
}
