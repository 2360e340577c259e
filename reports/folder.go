package reports

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
)

const (
	journalFile = "journal.jsonl"
	unfinished  = ".part"
)

// Folder is where a campaign's journal and renderings go. Everything is written under temporary names and renamed
// by Finish, so the folder has the old report, or the new one, never half of one.
type Folder struct {
	dir     string
	made    bool // by us: what is thrown away leaves no empty folder behind
	journal *Journal
}

// OpenFolder makes dir where it is missing and starts the journal in it. An error means that nothing can be written
// there: tell it before anything runs.
func OpenFolder(dir string) (*Folder, error) {
	_, missing := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	journal, err := CreateJournal(filepath.Join(dir, journalFile+unfinished))
	if err != nil {
		return nil, err
	}
	return &Folder{dir: dir, made: missing != nil, journal: journal}, nil
}

// Append writes one event to the journal.
func (f *Folder) Append(e Event) error { return f.journal.Append(e) }

// Finish closes the journal, renders it and puts everything in place. After an error nothing of this campaign is
// left in the folder.
func (f *Folder) Finish() (err error) {
	defer func() {
		if err != nil {
			f.remove()
		}
	}()
	if err := f.journal.Close(); err != nil {
		return err
	}
	events, err := ReadJournal(f.part(journalFile))
	if err != nil {
		return err
	}
	for _, r := range Renderers() {
		if err := render(f.part(r.File), r, events); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	for _, name := range f.files() {
		if err := os.Rename(f.part(name), filepath.Join(f.dir, name)); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// Discard drops everything written so far.
func (f *Folder) Discard() {
	_ = f.journal.Close() // it is thrown away
	f.remove()
}

func (f *Folder) part(name string) string { return filepath.Join(f.dir, name+unfinished) }

// files are all that a folder gets, the journal last: where it stands, its renderings do too.
func (f *Folder) files() []string {
	var names []string
	for _, r := range Renderers() {
		names = append(names, r.File)
	}
	return append(names, journalFile)
}

func (f *Folder) remove() {
	for _, name := range f.files() {
		_ = os.Remove(f.part(name)) // may not be there
	}
	if f.made {
		_ = os.Remove(f.dir) // refused where it is not empty
	}
}

func render(path string, r Renderer, events []Event) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	return first(r.Render(out, events), out.Flush(), file.Sync(), file.Close())
}

// first is the first error: what follows a full disk only repeats it, and a person gets one line.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
