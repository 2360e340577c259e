package pg

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/require"
	"github.com/testcontainers/testcontainers-go"
)

func TestContainer_ADaemonElsewhereIsReachedThroughItsPortWithAPassword(t *testing.T) {
	if !offers(t, "container") {
		return
	}
	daemon := proxyDocker(t)
	child := startChild(t, "container", "DOCKER_HOST="+daemon.address) // it also stops a backend: through exec
	address := child.awaitReady(t)
	host, _, err := net.SplitHostPort(address)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1", host)
	require.Error(t, tryQuery(t, endpoint{"tcp", address}.login("guess")), "an open superuser on the network")
	child.killByNine()
	next := anyServer(t)
	requireNothingOf(t, child.owner)
	require.NoError(t, next.Close(t.Context()))
}

func TestContainer_ADaemonThatStopsInTheMiddleIsAnErrorAndNoHang(t *testing.T) {
	if !offers(t, "container") {
		return
	}
	daemon := proxyDocker(t)
	child := startChild(t, "container", "DOCKER_HOST="+daemon.address, childCloses+"=yes")
	child.awaitReady(t)
	daemon.stop()
	child.tellToGoOn(t)
	start := time.Now()
	said := child.awaitEnd(t)
	require.Contains(t, said, "closed with: close the container server:")
	require.Less(t, time.Since(start), closeTimeoutMax)
	next := anyServer(t)
	requireNothingOf(t, child.owner)
	require.NoError(t, next.Close(t.Context()))
}

func TestContainer_AnImageThatCannotBePulledIsAMissingWayWithItsReason(t *testing.T) {
	if !offers(t, "container") {
		return
	}
	var said []string
	s, err := Open(t.Context(), Options{How: "auto", Image: "registry.invalid/postgres:17", Run: testRun, Core: -1, Log: func(format string, args ...any) {
		said = append(said, fmt.Sprintf(format, args...))
	}})
	if err == nil { // local programs are there
		require.Equal(t, "local", s.How())
		require.NoError(t, s.Close(t.Context()))
		require.Contains(t, said[len(said)-1], "registry.invalid/postgres:17 is not here and cannot be pulled")
	}
	for _, w := range Ways(t.Context(), "registry.invalid/postgres:17") {
		if w.How == "container" {
			require.Contains(t, w.Missing, "registry.invalid/postgres:17")
		}
	}
}

func TestShellWords_SurviveAnEval(t *testing.T) {
	require.Equal(t, `'-c' 'datestyle=ISO, MDY' 'it'\''s'`, shellWords([]string{"-c", "datestyle=ISO, MDY", "it's"}))
}

func TestPull_TellsItsProgressAndEndsWhenNothingMoves(t *testing.T) {
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/images/create") {
			_, _ = io.WriteString(w, "{}")
			return
		}
		for _, layer := range []string{"a", "b"} {
			_, _ = fmt.Fprintf(w, `{"status":"Downloading","id":%q,"progressDetail":{"current":%d,"total":%d}}`+"\n", layer, 5<<20, 40<<20)
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer registry.Close()
	client, err := testcontainers.NewDockerClientWithOpts(t.Context(), client.WithHost("tcp://"+registry.Listener.Addr().String()))
	require.NoError(t, err)

	var said []string
	err = docker{client}.pull(t.Context(), "postgres:17-alpine", pullLimits{wholeMax: time.Minute, stallMax: 200 * time.Millisecond}, func(format string, args ...any) {
		said = append(said, fmt.Sprintf(format, args...))
	})
	require.ErrorContains(t, err, "nothing came for 200ms")
	require.Equal(t, "pulling image postgres:17-alpine: 10 of 80 MB", said[len(said)-1])
}

// dockerProxy makes this machine's daemon look like another machine's, which can be taken away.
type dockerProxy struct {
	address string
	stop    func()
}

func proxyDocker(t *testing.T) dockerProxy {
	daemon, err := findDocker(t.Context())
	require.NoError(t, err)
	socket := strings.TrimPrefix(daemon.DaemonHost(), "unix://")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var mu sync.Mutex
	var conns []net.Conn
	keep := func(c net.Conn) {
		mu.Lock()
		defer mu.Unlock()
		conns = append(conns, c)
	}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", socket)
			if err != nil {
				_ = client.Close()
				continue
			}
			keep(client)
			keep(server)
			go func() { _, _ = io.Copy(server, client); _ = server.(*net.UnixConn).CloseWrite() }()
			go func() { _, _ = io.Copy(client, server); _ = client.(*net.TCPConn).CloseWrite() }()
		}
	}()
	stop := sync.OnceFunc(func() {
		_ = listener.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, c := range conns {
			_ = c.Close()
		}
	})
	t.Cleanup(stop)
	return dockerProxy{address: "tcp://" + listener.Addr().String(), stop: stop}
}
