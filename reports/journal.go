package reports

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Journal appends events to a file, one a line. Each line is handed to the operating system at once, so a killed
// campaign keeps what it did; what did not pass, and the end, is also forced to the disk.
type Journal struct {
	file *os.File
	err  error // the first one: after it nothing more is written
}

// CreateJournal starts a journal; an older file of this name is replaced.
func CreateJournal(path string) (*Journal, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return &Journal{file: file}, nil
}

// continueJournal goes on with a journal behind its first so many bytes: what follows them was torn, or is an end that
// was none.
func continueJournal(path string, after int64) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		err = file.Truncate(after)
	}
	if err == nil {
		_, err = file.Seek(after, io.SeekStart)
	}
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return &Journal{file: file}, nil
}

// Append writes one event. A line that did not fit (a full disk) is cut off again, so the file stays readable.
func (j *Journal) Append(e Event) error {
	if j.err != nil {
		return j.err
	}
	line, err := Encode(e)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	before, err := j.file.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if run, ok := e.(Run); ok && err == nil && run.Verdict != Pass {
		err = j.file.Sync()
	}
	if err != nil {
		j.err = fmt.Errorf("journal: %w", err)
		_ = j.file.Truncate(before) // the error is told already
	}
	return j.err
}

// Close ends the journal.
func (j *Journal) Close() error {
	err := first(j.file.Sync(), j.file.Close())
	if err != nil && j.err == nil {
		j.err = fmt.Errorf("journal: %w", err)
	}
	return j.err
}

// ReadJournal reads a journal's events in order. A last line without its newline was torn by a crash and is left
// out; anything else that cannot be read is an error that names the file and the line.
func ReadJournal(path string) ([]Event, error) {
	events, _, err := readJournal(path)
	return events, err
}

// readJournal answers also how many bytes hold all events but the end of the campaign.
func readJournal(path string) (events []Event, end int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("journal: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	in := bufio.NewReaderSize(file, 64<<10)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return events, end, nil
		}
		if err != nil {
			return nil, 0, fmt.Errorf("journal: %w", err)
		}
		e, err := Decode(bytes.TrimSuffix(line, []byte{'\n'}))
		if err != nil {
			return nil, 0, fmt.Errorf("journal: %s line %d: %w", filepath.Base(path), number, err)
		}
		if _, ended := e.(Summary); !ended {
			end += int64(len(line))
		}
		events = append(events, e)
	}
}
