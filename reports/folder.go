package reports

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	journalFile = "journal.jsonl"
	failuresDir = "failures"
	unfinished  = ".part"
)

// Folder is where a campaign's journal, its renderings and the scripts of its failures go. Everything is written under temporary names and renamed
// by Finish, so the folder has the old report, or the new one, never half of one.
type Folder struct {
	dir     string
	made    bool // by us: what is thrown away leaves no empty folder behind
	lock    *lock
	resumed bool // the unfinished journal was there before us: whatever happens, it stays
	journal *Journal
	scripts map[string]int // runs so far whose scripts would have this name: a sweep has one seed

	failures []string // names of the scripts, once they are being written
}

// OpenFolder makes dir where it is missing and starts the journal in it. An error means that nothing can be written
// there, *InUseError that another campaign is writing there: tell it before anything runs.
func OpenFolder(dir string) (*Folder, error) {
	_, missing := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	journal, err := CreateJournal(filepath.Join(dir, journalFile+unfinished))
	if err != nil {
		lock.release()
		return nil, err
	}
	return &Folder{dir: dir, made: missing != nil, lock: lock, journal: journal, scripts: map[string]int{}}, nil
}

// ReopenFolder goes on with the journal of a campaign that was interrupted: journal.jsonl.part of one that was killed,
// else journal.jsonl of one that was stopped. It answers the events in it; an error says that there is none.
func ReopenFolder(dir string) (*Folder, []Event, error) {
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, nil, err
	}
	f := &Folder{dir: dir, lock: lock, scripts: map[string]int{}}
	events, err := f.reopen()
	if err != nil {
		lock.release()
		return nil, nil, err
	}
	for _, e := range events {
		if r, ok := e.(Run); ok && r.ScriptFile != "" {
			f.ScriptFile(r) // the next one of this name has the next number
		}
	}
	return f, events, nil
}

func (f *Folder) reopen() ([]Event, error) {
	part := f.part(journalFile)
	events, end, err := readJournal(part)
	if f.resumed = err == nil; f.resumed {
		f.journal, err = continueJournal(part, end)
		return events, err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := filepath.Join(f.dir, journalFile)
	if events, end, err = readJournal(whole); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no journal of a campaign that was interrupted", f.dir)
	}
	if err == nil {
		err = copyFile(whole, part)
	}
	if err == nil {
		f.journal, err = continueJournal(part, end)
	}
	return events, err
}

// copyFile makes the copy whole or not at all.
func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to+".copy", text, 0o644); err != nil {
		return err
	}
	return os.Rename(to+".copy", to)
}

// Append writes one event to the journal.
func (f *Folder) Append(e Event) error { return f.journal.Append(e) }

// ScriptFile is where Finish puts the script of this run, for Run.ScriptFile. Each call is another run's.
func (f *Folder) ScriptFile(r Run) string {
	name := fmt.Sprintf("%s-%d", filepath.Base(r.Drill), r.Seed)
	if r.Rung != "" {
		name = fmt.Sprintf("%s-%s-%d", filepath.Base(r.Drill), filepath.Base(r.Rung), r.Trial)
	}
	f.scripts[name]++
	if n := f.scripts[name]; n > 1 {
		name += fmt.Sprintf("-%d", n)
	}
	return filepath.Join(f.dir, failuresDir, name+".script")
}

// Finish closes the journal, renders it and puts everything in place. After an error nothing of this campaign is
// left in the folder.
func (f *Folder) Finish() (err error) {
	defer f.lock.release()
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
	if err := f.writeScripts(events); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	replaced, _ := ReadJournal(filepath.Join(f.dir, journalFile)) // there may be none
	for _, name := range f.files() {
		if err := os.Rename(f.part(name), filepath.Join(f.dir, name)); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	f.dropScripts(replaced)
	return nil
}

// Discard drops everything written so far.
func (f *Folder) Discard() {
	_ = f.journal.Close() // it is thrown away
	f.remove()
	f.lock.release()
}

func (f *Folder) part(name string) string { return filepath.Join(f.dir, name+unfinished) }

// files are all that a folder gets, the journal last: where it stands, its renderings do too.
func (f *Folder) files() []string {
	var names []string
	for _, r := range Renderers() {
		names = append(names, r.File)
	}
	return append(append(names, f.failures...), journalFile)
}

// writeScripts writes the scripts of these events under their temporary names.
func (f *Folder) writeScripts(events []Event) error {
	f.failures = scriptsOf(events)
	if len(f.failures) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(f.dir, failuresDir), 0o755); err != nil {
		return err
	}
	for _, e := range events {
		if r, ok := e.(Run); ok && r.ScriptFile != "" {
			text := strings.TrimSuffix(r.Script, "\n") + "\n"
			if err := os.WriteFile(f.part(scriptName(r)), []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropScripts takes away the scripts of a report that was replaced, as far as they were not.
func (f *Folder) dropScripts(replaced []Event) {
	for _, name := range scriptsOf(replaced) {
		if !slices.Contains(f.failures, name) {
			_ = os.Remove(filepath.Join(f.dir, name)) // somebody may have moved it
		}
	}
	_ = os.Remove(filepath.Join(f.dir, failuresDir)) // refused where it is not empty
}

func scriptsOf(events []Event) []string {
	var names []string
	for _, e := range events {
		if r, ok := e.(Run); ok && r.ScriptFile != "" {
			names = append(names, scriptName(r))
		}
	}
	return names
}

// scriptName is the script's name in the folder, wherever the folder was when the run was made.
func scriptName(r Run) string { return filepath.Join(failuresDir, filepath.Base(r.ScriptFile)) }

func (f *Folder) remove() {
	for _, name := range f.files() {
		if name != journalFile || !f.resumed {
			_ = os.Remove(f.part(name)) // may not be there
		}
	}
	_ = os.Remove(filepath.Join(f.dir, failuresDir)) // refused where it is not empty
	if f.made {
		_ = os.Remove(filepath.Join(f.dir, pidFile)) // the lock's own end comes later
		_ = os.Remove(f.dir)                         // refused where it is not empty
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
