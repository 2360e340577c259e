package pg

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestOpen_PinsTheServerAndNothingElseToItsCore(t *testing.T) {
	onEveryCore(t)
	before := threadCores(t)
	for _, w := range oneOfEachWay(t) {
		s := openForTest(t, Options{How: w.How, Image: w.Image, Core: 1})
		cores := "SELECT (regexp_match(pg_read_file('/proc/self/status'), 'Cpus_allowed_list:\t(.*?)\n'))[1]"
		require.Equal(t, []string{"1"}, query(t, s.ConnString("postgres"), cores))
		require.Equal(t, before, threadCores(t), "threads of ours that may run elsewhere than before")
		require.NoError(t, s.Close(t.Context()))
	}
}

// threadCores tells on how many cores each of several threads of this process may run, having made new ones for it.
func threadCores(t *testing.T) []int {
	const threads = 16
	counts := make([]int, threads)
	var together, all sync.WaitGroup
	together.Add(threads)
	for n := range threads {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			together.Done()
			together.Wait() // so that no two share a thread
			var set unix.CPUSet
			if unix.SchedGetaffinity(0, &set) == nil {
				counts[n] = set.Count()
			}
		})
	}
	all.Wait()
	return counts
}

func TestCores_AreCountedAmongThoseWeMayUse(t *testing.T) {
	onEveryCore(t)
	require.Equal(t, []string{"0", "1", "0"}, []string{coreList(0), coreList(1), coreList(2 * runtime.NumCPU())})
	require.Empty(t, coreList(-1))
	t.Run("where the first is not ours", func(t *testing.T) {
		done := make(chan struct{})
		go func() { // on a thread that ends with it
			defer close(done)
			runtime.LockOSThread()
			var second unix.CPUSet
			second.Set(1)
			if assert.NoError(t, unix.SchedSetaffinity(0, &second)) {
				assert.Equal(t, []string{"1", "1"}, []string{coreList(0), coreList(3)})
			}
		}()
		<-done
	})
}

// onEveryCore lets this process, which TestMain keeps on one core, use all of them for a test.
func onEveryCore(t *testing.T) {
	var all unix.CPUSet
	for core := range runtime.NumCPU() {
		all.Set(core)
	}
	for _, tid := range threads() {
		_ = unix.SchedSetaffinity(tid, &all) // it may have ended meanwhile
	}
	t.Cleanup(func() { PinToCore(FreeCore()) })
}
