package world

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// sheet is a CSV file whose columns are found by name; errors name the file, the line and the column.
type sheet struct {
	file    string
	records [][]string
	lines   []int
	column  map[string]int
}

func readSheet(file string, body []byte, wanted []string) (sheet, error) {
	s := sheet{file: file, column: map[string]int{}}
	in := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return sheet{}, damaged(file, len(record), s.records, err)
		}
		line, _ := in.FieldPos(0)
		s.records, s.lines = append(s.records, record), append(s.lines, line)
	}
	if len(s.records) == 0 {
		return sheet{}, fmt.Errorf("%s:1: no header; accepted are the columns %s", file, strings.Join(wanted, ", "))
	}
	for i, name := range s.records[0] {
		name = strings.TrimSpace(name)
		if _, twice := s.column[name]; twice && slices.Contains(wanted, name) {
			return sheet{}, fmt.Errorf("%s:1: the column %q is there twice; accepted: each column once", file, name)
		}
		s.column[name] = i
	}
	for _, name := range wanted {
		if _, ok := s.column[name]; !ok {
			return sheet{}, fmt.Errorf("%s:1: no column %q; accepted are the columns %s", file, name, strings.Join(wanted, ", "))
		}
	}
	return s, nil
}

// damaged names the line of a record that is no record.
func damaged(file string, fields int, before [][]string, err error) error {
	var bad *csv.ParseError
	switch {
	case !errors.As(err, &bad):
		return fmt.Errorf("%s: %w", file, err)
	case errors.Is(err, csv.ErrFieldCount):
		return fmt.Errorf("%s:%d: %d fields; accepted: %d, as many as the header has", file, bad.StartLine, fields, len(before[0]))
	}
	return fmt.Errorf("%s:%d: %w (record begun on line %d); accepted: CSV with commas, quotes doubled inside quotes", file, bad.Line, bad.Err, bad.StartLine)
}

func (s *sheet) text(i int, column string) string {
	if c, ok := s.column[column]; ok {
		return s.records[i][c]
	}
	return ""
}

func (s *sheet) wrong(i int, column, accepted string) error {
	return fmt.Errorf("%s:%d: column %s: found %q; accepted: %s", s.file, s.lines[i], column, s.text(i, column), accepted)
}
