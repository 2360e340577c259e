package pg

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Usage is what this process and a local server hold, in bytes. The server's log is apart from its data: it grows until
// the server uses its files again.
type Usage struct {
	Heap      uint64 // of this process, after a collection
	Memory    uint64 // of the server's processes, besides what they share
	Processes int    // of the server, how many
	Data, Log uint64 // files
}

func (u Usage) String() string {
	return fmt.Sprintf("heap %.1f, the server's %d processes %.1f, data %.1f, its log %.1f MiB",
		mib(u.Heap), u.Processes, mib(u.Memory), mib(u.Data), mib(u.Log))
}

// each is what one of the server's processes holds: how many sessions are warm depends on the last runs.
func (u Usage) each() uint64 { return u.Memory / uint64(max(u.Processes, 1)) }

// What is no growth, and two of the largest logs that a server of ours keeps; in bytes.
const (
	growth = 16 << 20
	logMax = 512 << 20
)

// Grown is an error that says what grew since an earlier look: by more than 16 MiB, or a log beyond 512 MiB.
func (u Usage) Grown(since Usage) error {
	var grown []error
	for _, x := range []struct {
		what    string
		is, max uint64
	}{
		{"the heap", u.Heap, since.Heap + growth}, {"the memory of each of the server's processes", u.each(), since.each() + growth},
		{"the server's data", u.Data, since.Data + growth}, {"the server's log", u.Log, logMax},
	} {
		if x.is > x.max {
			grown = append(grown, fmt.Errorf("%s: %.1f MiB, accepted are %.1f", x.what, mib(x.is), mib(x.max)))
		}
	}
	return errors.Join(grown...)
}

func mib(bytes uint64) float64 { return float64(bytes) / (1 << 20) }

// Usage looks at a server that Open started from local programs. Its error is for any other one, and for a system without
// /proc.
func (s *Server) Usage() (Usage, error) {
	if s.how != "local" {
		return Usage{}, fmt.Errorf("what a %s server holds is not seen from here; accepted is a local one", s.how)
	}
	data := filepath.Join(filepath.Dir(s.endpoint.address), "data") // it lies beside the socket
	all, err := filesIn(data)
	log, errLog := filesIn(filepath.Join(data, "pg_wal"))
	memory, processes, errMemory := childMemory(data)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Usage{Heap: m.HeapAlloc, Memory: memory, Processes: processes, Data: all - log, Log: log}, errors.Join(err, errLog, errMemory)
}

// filesIn is the size of all files below a directory; one that is removed meanwhile counts nothing.
func filesIn(dir string) (size uint64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		if info, err := entry.Info(); err == nil {
			size += uint64(info.Size())
		}
		return nil
	})
	return size, err
}

// childMemory is what the children of the postmaster hold besides what they share.
func childMemory(data string) (own uint64, processes int, err error) {
	pid, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return 0, 0, err
	}
	postmaster, _, _ := strings.Cut(string(pid), "\n")
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return 0, 0, errors.Join(err, errors.New("this system has no /proc"))
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		after := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // behind the name: state, parent
		if len(after) < 2 || after[1] != postmaster {
			continue
		}
		statm, err := os.ReadFile(filepath.Join(filepath.Dir(path), "statm"))
		if err != nil {
			continue
		}
		var pages [3]uint64 // size, resident, shared
		for i, field := range strings.Fields(string(statm))[:3] {
			if pages[i], err = strconv.ParseUint(field, 10, 64); err != nil {
				return 0, 0, fmt.Errorf("%s/statm: %w", filepath.Dir(path), err)
			}
		}
		processes++
		own += (pages[1] - pages[2]) * uint64(os.Getpagesize())
	}
	return own, processes, nil
}
