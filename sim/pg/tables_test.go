package pg

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTable_AccessorsNeverMakeASilentZero(t *testing.T) {
	table := Table{Columns: []string{"id", "n", "b"}, Rows: [][]string{{"x", "12", "t"}, {"y", null, "f"}}}
	rows := table.Each()
	n, err := rows[0].Int("n")
	require.NoError(t, err)
	require.EqualValues(t, 12, n)
	_, err = rows[1].Int("n")
	require.Error(t, err)
	require.True(t, rows[1].Null("n"))
	require.Equal(t, "", rows[1].Text("n"))
	require.True(t, rows[0].Bool("b"))
	require.Equal(t, 1, table.Col("n"))
	require.Panics(t, func() { table.Col("nope") })
	require.Panics(t, func() { rows[0].Text("nope") })
}

func TestTables_TheHashSeesEveryCellButThoseLeftOut(t *testing.T) {
	with := func(n string) Tables {
		return Tables{"a.x": {Columns: []string{"id", "n"}, Rows: [][]string{{"1", n}, {"2", "b"}}}, "a.y": {Columns: []string{"id"}}}
	}
	require.Equal(t, with("a").Hash(), with("a").Hash())
	require.NotEqual(t, with("a").Hash(), with("b").Hash())
	require.Equal(t, with("a").Hash("a.x.n"), with("b").Hash("a.x.n"))
	require.NotEqual(t, Tables{"t": {Columns: []string{"a", "b"}, Rows: [][]string{{"1", "23"}}}}.Hash(),
		Tables{"t": {Columns: []string{"a", "b"}, Rows: [][]string{{"12", "3"}}}}.Hash(), "cells do not run into each other")
	require.Empty(t, with("a").Difference(with("a")))
	require.Equal(t, `a.x row 1 (1) column n: "a" and "b"`, with("a").Difference(with("b")))
	require.Contains(t, with("a").Difference(Tables{}), "the tables")
}
