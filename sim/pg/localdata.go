package pg

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

// layData puts the data directory of a fresh cluster at dir/data. initdb takes a second and a copy a tenth of it, so a
// cluster as initdb left it is kept in the user's cache directory for the next server of the same programs. Whoever cannot
// keep one, as without a home, goes without.
func layData(ctx context.Context, programs localPrograms, account localAccount, dir string) error {
	data := filepath.Join(dir, "data")
	kept, notKept := keptData(programs)
	if notKept == nil {
		_, notKept = os.Stat(kept)
	}
	if notKept == nil {
		if _, err := (localAccount{}).run(ctx, "cp", "-R", kept, data); err != nil {
			return fmt.Errorf("copy the fresh cluster that is kept in %s, which may be deleted: %w", kept, err)
		}
		return account.ownAll(ctx, data)
	}
	if err := initdb(ctx, programs, account, data); err != nil {
		return err
	}
	if kept != "" {
		_ = keep(ctx, data, kept)
	}
	return nil
}

// keptBase is where kept clusters stand, and for a moment what is to become one: the sweep takes that away where its owner died.
func keptBase() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "recondrill"), err
}

// keptData is where the fresh cluster of these programs is kept: other programs and other arguments have another.
func keptData(programs localPrograms) (string, error) {
	base, err := keptBase()
	if err != nil {
		return "", err
	}
	postgres, err := os.Stat(filepath.Join(programs.bin, "postgres"))
	if err != nil {
		return "", err
	}
	of := sha256.Sum256(fmt.Append(nil, programs.bin, postgres.Size(), postgres.ModTime().UnixNano(), initdbArguments(programs.version.major)))
	return filepath.Join(base, fmt.Sprintf("cluster-%s-%x", programs.version, of[:8])), nil
}

// keep makes kept a copy of data. It comes into being whole, whoever else makes it at the same time.
func keep(ctx context.Context, data, kept string) error {
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		return err
	}
	part := filepath.Join(filepath.Dir(kept), thisOwner().directoryName("part"))
	if err := os.Mkdir(part, 0o700); err != nil {
		return err // another server of this process is at it
	}
	defer os.RemoveAll(part)
	if _, err := (localAccount{}).run(ctx, "cp", "-R", data, part); err != nil {
		return err
	}
	return os.Rename(filepath.Join(part, filepath.Base(data)), kept) // refused where somebody else was first
}

func initdb(ctx context.Context, programs localPrograms, account localAccount, data string) error {
	_, err := account.run(ctx, filepath.Join(programs.bin, "initdb"), append([]string{"-D", data}, initdbArguments(programs.version.major)...)...)
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
