package pg

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Way is one way to get a PostgreSQL, and why it cannot be gone where it cannot.
type Way struct {
	How     string // "container" or "local": for Options.How
	Image   string // for Options.Image; "" on the local way
	Version string // "15.18" of local programs; the major version of an image
	Missing string // "" = this way can be gone now
}

func (w Way) String() string {
	text := w.How
	if w.Image != "" {
		text += " " + w.Image
	}
	if w.Version != "" {
		text += " (PostgreSQL " + w.Version + ")"
	}
	if w.Missing != "" {
		text += ": missing: " + w.Missing
	}
	return text
}

// Ways tells every way of this machine without going it: local programs, and containers. With an image that image only,
// otherwise one way for each of 17 (the default), 15 and 18. Nothing is pulled here, so an image that Open could pull is
// missing too.
func Ways(ctx context.Context, image string) []Way {
	return append([]Way{localWay()}, containerWays(ctx, image)...)
}

func localWay() Way {
	programs, err := findLocal()
	if err != nil {
		return Way{How: "local", Missing: err.Error()}
	}
	return Way{How: "local", Version: programs.version.String()}
}

// containerWays tells of each supported stand-in's version whether an image of it is here; of a named image only that.
func containerWays(ctx context.Context, image string) []Way {
	wanted := [][]string{{image}}
	if image == "" {
		wanted = [][]string{candidateImages("")}
		for _, major := range []int{15, 18} {
			wanted = append(wanted, []string{officialImage(major), standInImage(major)})
		}
	}
	daemon, err := findDocker(ctx)
	if err == nil {
		defer daemon.Close()
	}
	var ways []Way
	for _, images := range wanted {
		if err != nil {
			ways = append(ways, Way{How: "container", Image: images[0], Missing: err.Error()})
			continue
		}
		ways = append(ways, daemon.wayOf(ctx, images))
	}
	return ways
}

func (d docker) wayOf(ctx context.Context, images []string) Way {
	for _, image := range images {
		major, found, err := d.imageMajor(ctx, image)
		if err == nil && found {
			err = (serverVersion{major: major}).check("image " + image)
		}
		if err != nil {
			return Way{How: "container", Image: image, Missing: err.Error()}
		}
		if found {
			return Way{How: "container", Image: image, Version: strconv.Itoa(major)}
		}
	}
	return Way{How: "container", Image: images[0], Missing: "the Docker daemon has no image " + strings.Join(images, " or ")}
}

// openAuto takes a container, else local programs. An image that the caller named and that is of no use is an error, not
// a reason to take something else.
func openAuto(ctx context.Context, o Options) (*Server, error) {
	s, errContainer := openContainer(ctx, o)
	if errContainer == nil {
		o.logf("PostgreSQL %s in a container of %s: %s", s.Version(), s.image, "the first way that works")
		return s, nil
	}
	if fatal := stopsAuto(ctx, o, errContainer); fatal != nil {
		return nil, fatal
	}
	s, errLocal := openLocalFound(ctx, o)
	if errLocal == nil {
		o.logf("PostgreSQL %s from local programs: no container, because %v", s.Version(), errContainer)
		return s, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, noWay(errContainer, errLocal)
}

func stopsAuto(ctx context.Context, o Options, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var unsupported *UnsupportedError
	if o.Image != "" && errors.As(err, &unsupported) {
		return err
	}
	return nil
}

// noWay lists what was tried and the three ways.
func noWay(tried ...error) error {
	var reasons []string
	for _, err := range tried {
		reasons = append(reasons, err.Error())
	}
	return fmt.Errorf("%w: %s. The three ways to get one: a Docker daemon with the image %s (or, where none can be pulled, `make image` for %s); "+
		"programs of PostgreSQL %d to %d on this machine (Debian: apt-get install postgresql); --postgres with the DSN of a database marked for drills",
		ErrNoWay, strings.Join(reasons, "; "), officialImage(defaultMajor), standInImage(defaultMajor), majorMin, majorMax)
}

func openContainerOnly(ctx context.Context, o Options) (*Server, error) {
	s, err := openContainer(ctx, o)
	if err != nil {
		return nil, onlyWay(ctx, err)
	}
	o.logf("PostgreSQL %s in a container of %s, as asked", s.Version(), s.image)
	return s, nil
}

func openLocalOnly(ctx context.Context, o Options) (*Server, error) {
	s, err := openLocalFound(ctx, o)
	if err != nil {
		return nil, onlyWay(ctx, err)
	}
	o.logf("PostgreSQL %s from local programs, as asked", s.Version())
	return s, nil
}

// onlyWay keeps an error that says more than that there is no way.
func onlyWay(ctx context.Context, err error) error {
	var unsupported *UnsupportedError
	if ctx.Err() != nil || errors.As(err, &unsupported) {
		return err
	}
	return noWay(err)
}

func openLocalFound(ctx context.Context, o Options) (*Server, error) {
	programs, err := findLocal()
	if err != nil {
		return nil, fmt.Errorf("local: %w", err)
	}
	s, err := openLocal(ctx, o, programs)
	if err != nil {
		return nil, fmt.Errorf("local: %w", err)
	}
	return s, nil
}
