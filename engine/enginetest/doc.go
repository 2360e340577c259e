// Package enginetest is a stage for tests of the engine on a real server: a database of its own for each test, whose
// recon.now() and whose process's monotonic clock move only when the test says so, a small world of one account, and
// outsides that answer as they are told.
//
// Only tests import it. It knows no way to start a server: the test hands it one.
package enginetest
