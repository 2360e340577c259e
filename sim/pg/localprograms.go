package pg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// localPrograms is one installation of PostgreSQL on this machine.
type localPrograms struct {
	bin     string // directory with postgres and initdb
	version serverVersion
}

// findLocal looks where Debian, Homebrew and Postgres.app put PostgreSQL and on the PATH, and takes the newest that is
// supported. Errors: *UnsupportedError when there are only others, else one that says where it looked.
func findLocal() (localPrograms, error) {
	patterns := []string{
		"/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	}
	var dirs []string
	for _, pattern := range patterns {
		found, _ := filepath.Glob(pattern)
		dirs = append(dirs, found...)
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	return newestSupported(dirs, "in "+strings.Join(patterns, ", ")+" or on the PATH")
}

func newestSupported(dirs []string, where string) (localPrograms, error) {
	var usable []localPrograms
	var unsupported error
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
			continue
		}
		out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
		if err != nil {
			continue
		}
		version, err := parseServerVersion(string(out))
		if err != nil {
			continue
		}
		if err := version.check(dir); err != nil {
			unsupported = err
			continue
		}
		usable = append(usable, localPrograms{bin: dir, version: version})
	}
	sort.SliceStable(usable, func(i, j int) bool {
		a, b := usable[i].version, usable[j].version
		return a.major > b.major || a.major == b.major && a.minor > b.minor
	})
	if len(usable) > 0 {
		return usable[0], nil
	}
	if unsupported != nil {
		return localPrograms{}, unsupported
	}
	return localPrograms{}, errors.New("no programs initdb and postgres " + where)
}

// localAccount is who runs the server: PostgreSQL refuses to be root.
type localAccount struct {
	credential *syscall.Credential // nil: ourselves
}

// serverAccount is this user, or where that is root: postgres, else nobody.
func serverAccount() (localAccount, error) {
	if os.Geteuid() != 0 {
		return localAccount{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
		if errUID == nil && errGID == nil {
			return localAccount{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
		}
	}
	return localAccount{}, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody to be instead")
}

// own gives a directory to the account.
func (a localAccount) own(dir string) error {
	if a.credential == nil {
		return nil
	}
	return os.Chown(dir, int(a.credential.Uid), int(a.credential.Gid))
}

// ownAll gives a directory and all that is in it to the account.
func (a localAccount) ownAll(ctx context.Context, dir string) error {
	if a.credential == nil {
		return nil
	}
	_, err := localAccount{}.run(ctx, "chown", "-R", fmt.Sprintf("%d:%d", a.credential.Uid, a.credential.Gid), dir)
	return err
}

// run runs a short program as the account and returns its output, which is in the error as well.
func (a localAccount) run(ctx context.Context, name string, args ...string) (string, error) {
	// The signal at our death comes when the starting thread ends, hence the lock.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = "/"
	cmd.Env = serverEnvironment()
	cmd.SysProcAttr = childAttributes(a.credential, syscall.SIGKILL)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s: %w: %s", filepath.Base(name), err, bytes.TrimSpace(out))
	}
	return string(out), nil
}

// serverEnvironment keeps PG* and the language of this session away from the server.
func serverEnvironment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
}
