package pg

import (
	"context"
	"fmt"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// sweepContainers removes the containers of dead owners, when there is a daemon that answers.
func sweepContainers(ctx context.Context, logf func(string, ...any)) {
	daemon, err := findDocker(ctx)
	if err != nil {
		return // whoever wants a container is told why there is none; leftovers wait for a run that sees the daemon
	}
	defer daemon.Close()
	ctx, cancel := context.WithTimeout(ctx, closeTimeoutMax)
	defer cancel()
	found, err := daemon.containers(ctx, labelOwner)
	if err != nil {
		logf("leftovers of dead runs are not looked for: %v", err)
		return
	}
	for _, box := range found {
		owner, ok := parseOwner(box.Labels[labelOwner])
		if !ok || !owner.dead() {
			continue
		}
		if err := daemon.removeContainer(ctx, box.ID); err != nil {
			logf("left by a dead run and not to be removed: %v", err)
			continue
		}
		logf("removed container %.12s, left by a run (process %d) that is dead", box.ID, owner.pid)
	}
}

// containers lists ours with a label (or label=value), also those that do not run.
func (d docker) containers(ctx context.Context, label string) ([]container.Summary, error) {
	list, err := d.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", label)})
	if err != nil {
		return nil, fmt.Errorf("list containers: %w", err)
	}
	return list.Items, nil
}

// removeContainer kills and removes; that another sweep is at it already, or was, is as good.
func (d docker) removeContainer(ctx context.Context, id string) error {
	_, err := d.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if err == nil || errdefs.IsNotFound(err) {
		return nil
	}
	if errdefs.IsConflict(err) {
		return d.awaitRemoved(ctx, id)
	}
	return fmt.Errorf("remove container %.12s: %w", id, err)
}

func (d docker) awaitRemoved(ctx context.Context, id string) error {
	wait := d.ContainerWait(ctx, id, client.ContainerWaitOptions{Condition: container.WaitConditionRemoved})
	select {
	case <-wait.Result:
		return nil
	case err := <-wait.Error:
		if errdefs.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("wait for the removal of container %.12s: %w", id, err)
	case <-time.After(closeTimeoutMax):
		return fmt.Errorf("container %.12s is not removed after %v", id, closeTimeoutMax)
	}
}
