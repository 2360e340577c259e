package reports

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLanes_TimeRunsRightAndOrderIsKeptWhereItStandsStill(t *testing.T) {
	t.Parallel()
	l := drawLanes([]Mark{
		{Lane: "ledger", Row: "b", AtMS: 3_600_000}, {Lane: "ticks", Row: "a", AtMS: 0}, {Lane: "ticks", Row: "a", AtMS: 0}, {Lane: "ticks", Row: "a", AtMS: 1000},
		{Lane: "leases", Row: "j", AtMS: 1000, UntilMS: 91_000, Kind: "lease"},
	})
	require.Len(t, l.Points, 4)
	for i := 1; i < len(l.Points); i++ {
		require.Greater(t, l.Points[i].X, l.Points[i-1].X)
	}
	require.Equal(t, []string{"ticks", "leases", "ledger"}, []string{l.Rows[0].Lane, l.Rows[1].Lane, l.Rows[2].Lane}, "lanes have an order of their own")
	require.Len(t, l.Bars, 1)
	require.Less(t, l.Bars[0].X+l.Bars[0].W, l.Points[3].X)
}

func TestLanes_ManyRowsAndMarksStayADrawing(t *testing.T) {
	t.Parallel()
	var marks []Mark
	for i := range 5000 {
		marks = append(marks, Mark{Lane: "leases", Row: fmt.Sprint("acct_", i), AtMS: int64(i) * 1000, UntilMS: int64(i)*1000 + 500})
	}
	l := drawLanes(marks)
	require.Len(t, l.Rows, rowsMax)
	require.Equal(t, 5000-marksMax, l.Left)
	for _, b := range l.Bars {
		require.Less(t, b.Y, l.Height)
		require.LessOrEqual(t, b.X+b.W, l.Width)
	}
	require.Nil(t, drawLanes(nil))
}

func TestLanes_FaultsAreNumberedInOrder(t *testing.T) {
	t.Parallel()
	l := drawLanes([]Mark{{Lane: "workers", Row: "w", AtMS: 9000, Fault: "stall"}, {Lane: "ticks", Row: "c", AtMS: 10, Fault: "early-tick"}})
	require.Equal(t, []int{1, 2}, []int{l.Faults[0].Number, l.Faults[1].Number})
	require.Equal(t, "early-tick", l.Faults[0].Name)
}

func TestOffset_ReadsLikeAClock(t *testing.T) {
	t.Parallel()
	for ms, want := range map[int64]string{0: "0s", 1500: "1.500s", 59_000: "59s", 90_000: "1:30", 3_600_000: "1:00:00", 93_784_000: "26:03:04"} {
		require.Equal(t, want, offset(ms))
	}
}
