package pg

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	tcpostgres "github.com/testcontainers/testcontainers-go/modules/postgres"
)

// Labels by which the sweep knows a container.
const (
	labelOwner  = "recondrill.owner"  // runOwner
	labelServer = "recondrill.server" // the directory's name: one server
)

// containerScript is the container's program instead of the image's entrypoint: data in memory, no password on the way in
// except over a network, and the same initdb as everywhere.
const containerScript = `set -eu
mkdir -p /recondrill/socket
if [ -n "${RECONDRILL_PASSWORD:-}" ]; then
	echo "$RECONDRILL_PASSWORD" >/recondrill/secret
	initdb -D /recondrill/data "$@" --pwfile=/recondrill/secret >/recondrill/initdb.log
	remote=scram-sha-256
else
	initdb -D /recondrill/data "$@" >/recondrill/initdb.log
	remote=trust
fi
echo "host all all all $remote" >>/recondrill/data/pg_hba.conf
eval "exec postgres -D /recondrill/data -k /recondrill/socket -c listen_addresses='*' $RECONDRILL_SETTINGS"`

// openContainer starts a server in a container of the chosen image.
func openContainer(ctx context.Context, o Options) (*Server, error) {
	s, err := startContainer(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("container: %w", err)
	}
	return s, nil
}

func startContainer(ctx context.Context, o Options) (_ *Server, err error) {
	daemon, err := findDocker(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = daemon.Close() // only connections; nothing is lost with them
		}
	}()
	image, major, err := daemon.chooseImage(ctx, o)
	if err != nil {
		return nil, err
	}
	what := "image " + image
	if err := (serverVersion{major: major}).check(what); err != nil {
		return nil, err
	}
	box, err := newServerContainer(daemon, o, image, major)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = joinErrors(err, box.remove(context.WithoutCancel(ctx)))
		}
	}()
	if err := box.start(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeoutMax)
	defer cancel()
	gone, stopWatching := box.watch(ctx)
	defer stopWatching()
	at, err := awaitAnswer(ctx, box.endpoints, gone)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; it said: %s", what, err, box.said(ctx))
	}
	s := &Server{how: "container", image: image, log: o.logf, endpoint: at, login: at.login(box.password), release: box.remove}
	if err := s.connectOwn(ctx, what); err != nil {
		return nil, err
	}
	if s.signals, err = box.signaller(ctx, int(s.admin.PgConn().PID())); err != nil {
		_ = s.admin.Close(ctx)
		return nil, err
	}
	return s, nil
}

// serverContainer is a container of ours and the directory for its socket.
type serverContainer struct {
	daemon    docker
	image     string
	major     int
	core      int
	dir       string // holds "socket", which the container sees where the daemon shares our files
	password  string // only towards a daemon on another machine
	id        string
	pid       int // the machine's pid of its first process, where the daemon shares our kernel
	endpoints []endpoint
}

func newServerContainer(daemon docker, o Options, image string, major int) (*serverContainer, error) {
	c := &serverContainer{daemon: daemon, image: image, major: major, core: o.Core}
	if !daemon.local() {
		c.password = rand.Text()
	}
	dir, err := makeOwnedDir(o.Run)
	if err != nil {
		return nil, err
	}
	c.dir = dir
	// Everybody may write there, for the server is another user; the directory around it lets only us through.
	socket := filepath.Join(dir, "socket")
	if err := joinErrors(os.Mkdir(socket, 0o777), os.Chmod(socket, 0o777)); err != nil {
		return nil, joinErrors(err, removeOwnedDir(dir))
	}
	return c, nil
}

// start creates and starts the container. Once asked for, it is not given up half-way, or it might come to be unseen.
func (c *serverContainer) start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	asked, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTimeoutMax)
	defer cancel()
	started, err := tcpostgres.Run(asked, c.image, c.options(c.daemon.sharesKernel())...)
	if err != nil && strings.Contains(err.Error(), "bind source path does not exist") {
		// The daemon's files are not ours (we run in a container ourselves): no socket to share.
		started, err = tcpostgres.Run(asked, c.image, c.options(false)...)
	}
	if err != nil {
		return err
	}
	info, err := c.daemon.ContainerInspect(asked, started.GetContainerID(), client.ContainerInspectOptions{})
	if err != nil {
		return err
	}
	c.id, c.pid = info.Container.ID, info.Container.State.Pid
	c.endpoints, err = c.findEndpoints(info.Container)
	return joinErrors(err, ctx.Err())
}

func (c *serverContainer) options(shareSocket bool) []testcontainers.ContainerCustomizer {
	return []testcontainers.ContainerCustomizer{
		testcontainers.WithEntrypoint("sh", "-c", containerScript, "recondrill"),
		testcontainers.WithCmd(initdbArguments(c.major)...),
		testcontainers.WithEnv(map[string]string{
			"RECONDRILL_PASSWORD": c.password,
			"RECONDRILL_SETTINGS": shellWords(startArguments(c.major)),
			"LC_ALL":              "C",
			"TZ":                  "UTC",
		}),
		testcontainers.WithTmpfs(map[string]string{"/recondrill": "rw,mode=1777"}),
		testcontainers.WithLabels(map[string]string{labelOwner: thisOwner().String(), labelServer: filepath.Base(c.dir)}),
		testcontainers.WithConfigModifier(func(config *container.Config) { config.User = "postgres" }),
		testcontainers.WithHostConfigModifier(func(host *container.HostConfig) {
			init := true // an orphan of an exec must not become a child of the postmaster, whom its end would make panic
			host.Init = &init
			if c.daemon.local() {
				host.PortBindings = network.PortMap{network.MustParsePort(socketPort + "/tcp"): {{HostIP: netip.MustParseAddr("127.0.0.1")}}}
			}
			if c.daemon.sharesKernel() {
				host.CpusetCpus = coreList(c.core)
			}
			if shareSocket {
				host.Mounts = append(host.Mounts, mount.Mount{Type: mount.TypeBind, Source: filepath.Join(c.dir, "socket"), Target: "/recondrill/socket"})
			}
		}),
	}
}

// shellWords quotes words for a shell's eval.
func shellWords(words []string) string {
	var out []string
	for _, word := range words {
		out = append(out, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
	}
	return strings.Join(out, " ")
}

// findEndpoints lists where the server may be dialed, the fastest first: the socket where the daemon shares our kernel,
// else the mapped port. The container's own address is never dialed: it is a private range's, and on some machines
// somebody else's. testcontainers' Host() is not asked: it believes the environment, and can name another machine.
func (c *serverContainer) findEndpoints(info container.InspectResponse) ([]endpoint, error) {
	host := "127.0.0.1"
	if !c.daemon.local() {
		u, err := url.Parse(c.daemon.DaemonHost())
		if err != nil || u.Hostname() == "" {
			return nil, fmt.Errorf("the Docker daemon's address %s names no host", c.daemon.DaemonHost())
		}
		host = u.Hostname()
	}
	var out []endpoint
	if c.daemon.sharesKernel() {
		out = append(out, endpoint{"unix", socketIn(filepath.Join(c.dir, "socket"))})
	}
	for _, binding := range info.NetworkSettings.Ports[network.MustParsePort(socketPort+"/tcp")] {
		out = append(out, endpoint{"tcp", net.JoinHostPort(host, binding.HostPort)})
		break
	}
	return out, nil
}

// watch closes gone when the container ends.
func (c *serverContainer) watch(ctx context.Context) (gone chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	gone = make(chan struct{})
	wait := c.daemon.ContainerWait(ctx, c.id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-wait.Result:
			close(gone)
		case <-wait.Error:
			if ctx.Err() == nil {
				close(gone)
			}
		}
	}()
	return gone, func() { cancel(); <-done }
}

// signaller takes the fastest way that is open: the machine's pids, else a shell kept open in the container.
func (c *serverContainer) signaller(ctx context.Context, backend int) (signaller, error) {
	if c.daemon.sharesKernel() {
		if postmaster, ok := containerPostmaster(c.pid, backend); ok {
			if s, err := newProcSignaller(postmaster); err == nil {
				return s, nil
			}
		}
	}
	return newExecSignaller(ctx, c.daemon, c.id)
}

// said is what the server told before it failed.
func (c *serverContainer) said(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), daemonTimeoutMax)
	defer cancel()
	logs, err := c.daemon.ContainerLogs(ctx, c.id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Tail: "20"})
	if err != nil {
		return err.Error()
	}
	defer logs.Close()
	tail := &logTail{}
	_ = copyFrames(tail, logs)
	return tail.String()
}

// remove removes the container and its directory, also one that came to be though the library reported a failure.
func (c *serverContainer) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeTimeoutMax)
	defer cancel()
	found, err := c.daemon.containers(ctx, labelServer+"="+filepath.Base(c.dir))
	errs := []error{err}
	for _, box := range found {
		errs = append(errs, c.daemon.removeContainer(ctx, box.ID))
	}
	errs = append(errs, removeOwnedDir(c.dir))
	_ = c.daemon.Close()
	return joinErrors(errs...)
}
