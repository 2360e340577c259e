package pg

import (
	"context"
	"fmt"
	"path/filepath"
)

// openLocal starts a server of the machine's own programs, on a Unix socket only.
func openLocal(ctx context.Context, o Options, programs localPrograms) (_ *Server, err error) {
	account, err := serverAccount()
	if err != nil {
		return nil, err
	}
	dir, err := makeOwnedDir(o.Run)
	if err != nil {
		return nil, err
	}
	var running *localProcess
	release := func(context.Context) error { return joinErrors(running.end(), removeOwnedDir(dir)) }
	defer func() {
		if err != nil {
			_ = release(ctx)
		}
	}()
	if err := account.own(dir); err != nil {
		return nil, err
	}
	if err := layData(ctx, programs, account, dir); err != nil {
		return nil, err
	}

	args := append([]string{"-D", filepath.Join(dir, "data"), "-k", dir, "-c", "listen_addresses="}, startArguments(programs.version.major)...)
	running, err = startLocal(filepath.Join(programs.bin, "postgres"), args, account, o.Core)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeoutMax)
	defer cancel()
	at, err := awaitAnswer(ctx, []endpoint{{"unix", socketIn(dir)}}, running.gone)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL %s: %w; it said: %s", programs.version, err, running.tail)
	}
	s := &Server{how: "local", log: o.logf, endpoint: at, login: at.login(""), release: release}
	if s.signals, err = newProcSignaller(running.pid); err != nil {
		return nil, err
	}
	if err := s.connectOwn(ctx, programs.bin); err != nil {
		return nil, err
	}
	return s, nil
}
