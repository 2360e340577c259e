package pg

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
)

// preparedData is the data directory that local servers of this process are copied from: initdb takes half a second, a
// copy a tenth of it. It lives as long as one of those servers does, and never longer than the process.
var preparedData preparedDirectory

type preparedDirectory struct {
	mu    sync.Mutex
	users int
	bin   string
	dir   string
}

func (p *preparedDirectory) take(ctx context.Context, programs localPrograms, account localAccount) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users == 0 {
		dir, err := makeOwnedDir("prepared")
		if err != nil {
			return "", err
		}
		if err := initdb(ctx, programs, account, dir); err != nil {
			return "", joinErrors(err, removeOwnedDir(dir))
		}
		p.dir, p.bin = dir, programs.bin
	}
	if p.bin != programs.bin {
		return "", fmt.Errorf("local servers of %s and of %s in one process: one kind at a time is accepted", p.bin, programs.bin)
	}
	p.users++
	return filepath.Join(p.dir, "data"), nil
}

func initdb(ctx context.Context, programs localPrograms, account localAccount, dir string) error {
	if err := account.own(dir); err != nil {
		return err
	}
	_, err := account.run(ctx, filepath.Join(programs.bin, "initdb"), append([]string{"-D", filepath.Join(dir, "data")}, initdbArguments(programs.version.major)...)...)
	return err
}

// initdbArguments are the same for every server of ours.
func initdbArguments(major int) []string {
	args := []string{"-U", superuser, "-A", "trust", "-N", "--no-instructions", "-E", "UTF8", "--locale=C"}
	if major >= 18 { // where it became the default
		args = append(args, "--no-data-checksums")
	}
	return args
}

func (p *preparedDirectory) giveBack() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users == 0 {
		_ = removeOwnedDir(p.dir) // the sweep of the next run would find it
	}
}
