package pg

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/authconfig"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	tclog "github.com/testcontainers/testcontainers-go/log"
)

// A daemon that does not answer, or a pull that does not move, must not hold up the run.
const daemonTimeoutMax = 5 * time.Second

var pullBounds = pullLimits{wholeMax: 5 * time.Minute, stallMax: 20 * time.Second, reportEvery: 2 * time.Second}

type pullLimits struct{ wholeMax, stallMax, reportEvery time.Duration }

const defaultMajor = 17

func officialImage(major int) string { return fmt.Sprintf("postgres:%d-alpine", major) }

// standInImage is what `make image` builds. It is never pulled: on a public registry anybody could own that name.
func standInImage(major int) string { return standInRepository + strconv.Itoa(major) }

const standInRepository = "recondrill/postgres:"

// settleTestcontainers sets what the library reads from the environment, once and before its first use. No reaper: its
// image may be missing, it would live on for some seconds after us, and our own sweep does its work. And no talk.
var settleTestcontainers = sync.OnceFunc(func() {
	_ = os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true")
	tclog.SetDefault(tclog.NewNoopLogger())
})

// docker is a daemon that answered.
type docker struct{ *testcontainers.DockerClient }

// findDocker asks the daemon that testcontainers would take.
func findDocker(ctx context.Context) (docker, error) {
	settleTestcontainers()
	ctx, cancel := context.WithTimeout(ctx, daemonTimeoutMax)
	defer cancel()
	cli, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err == nil {
		_, err = cli.Ping(ctx, client.PingOptions{})
	}
	if err != nil {
		return docker{}, fmt.Errorf("no Docker daemon answers: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return docker{cli}, nil
}

// local says that the daemon is reached through a socket of this machine.
func (d docker) local() bool { return strings.HasPrefix(d.DaemonHost(), "unix://") }

// sharesKernel says that containers run on this machine itself and not in a virtual one.
func (d docker) sharesKernel() bool { return d.local() && runtime.GOOS == "linux" }

// imageMajor asks an image which PostgreSQL it holds; found is false when the daemon does not have the image.
func (d docker) imageMajor(ctx context.Context, image string) (major int, found bool, err error) {
	info, err := d.ImageInspect(ctx, image)
	if errdefs.IsNotFound(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("look for image %s: %w", image, err)
	}
	if info.Config != nil {
		for _, line := range info.Config.Env {
			if text, ok := strings.CutPrefix(line, "PG_MAJOR="); ok {
				digits := strings.IndexFunc(text+".", func(r rune) bool { return r < '0' || r > '9' })
				major, err = strconv.Atoi(text[:digits])
				if err == nil {
					return major, true, nil
				}
			}
		}
	}
	return 0, true, fmt.Errorf("image %s: its environment has no PG_MAJOR: accepted are images made like the official one", image)
}

// candidateImages are, in order, the images that serve for one that was asked for, or for the default.
func candidateImages(image string) []string {
	if image != "" {
		return []string{image}
	}
	return []string{officialImage(defaultMajor), standInImage(defaultMajor)}
}

// chooseImage takes the first candidate that is there, and only when none is pulls.
func (d docker) chooseImage(ctx context.Context, o Options) (image string, major int, err error) {
	candidates := candidateImages(o.Image)
	for _, image := range candidates {
		if major, found, err := d.imageMajor(ctx, image); found || err != nil {
			return image, major, err
		}
	}
	var errs []error
	for _, image := range candidates {
		if strings.HasPrefix(image, standInRepository) {
			errs = append(errs, fmt.Errorf("image %s is not here (`make image` builds it)", image))
			continue
		}
		if err := d.pull(ctx, image, pullBounds, o.logf); err != nil {
			errs = append(errs, fmt.Errorf("image %s is not here and cannot be pulled: %w", image, err))
			continue
		}
		major, _, err := d.imageMajor(ctx, image)
		return image, major, err
	}
	return "", 0, joinErrors(errs...)
}

// pull fetches an image; it ends when the whole takes too long or when nothing moves for a while.
func (d docker) pull(ctx context.Context, image string, limits pullLimits, logf func(string, ...any)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limits.wholeMax, fmt.Errorf("not done after %v", limits.wholeMax))
	defer cancel()
	ctx, stall := context.WithCancelCause(ctx)
	watchdog := time.AfterFunc(limits.stallMax, func() { stall(fmt.Errorf("nothing came for %v", limits.stallMax)) })
	defer watchdog.Stop()
	cause := func(err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}

	logf("pulling image %s", image)
	var options client.ImagePullOptions
	if _, auth, err := testcontainers.DockerImageAuth(ctx, image); err == nil {
		if options.RegistryAuth, err = authconfig.Encode(auth); err != nil {
			return err
		}
	}
	answer, err := d.ImagePull(ctx, image, options)
	if err != nil {
		return cause(err)
	}
	defer answer.Close()
	progress := pullProgress{image: image, every: limits.reportEvery, told: time.Now(), layers: map[string]layerProgress{}}
	for message, err := range answer.JSONMessages(ctx) {
		if err != nil {
			return cause(err)
		}
		if message.Error != nil {
			return message.Error
		}
		watchdog.Reset(limits.stallMax)
		if message.Progress != nil && message.Status == "Downloading" {
			progress.layers[message.ID] = layerProgress{message.Progress.Current, message.Progress.Total}
		}
		progress.tell(logf)
	}
	return cause(nil)
}

type layerProgress struct{ done, total int64 } // bytes

// pullProgress tells now and then how far the layers are.
type pullProgress struct {
	image  string
	every  time.Duration
	told   time.Time
	layers map[string]layerProgress
}

func (p *pullProgress) tell(logf func(string, ...any)) {
	if time.Since(p.told) < p.every {
		return
	}
	p.told = time.Now()
	var sum layerProgress
	for _, layer := range p.layers {
		sum.done += layer.done
		sum.total += layer.total
	}
	logf("pulling image %s: %d of %d MB", p.image, sum.done>>20, sum.total>>20)
}
