package faults

import "github.com/recondrill/recondrill/sim"

// The database server is an actor of the world, at whose instants it is decided what becomes of it
// (Kernel.Tick("server", …)). Whoever carries it out marks what was done.
const server = "server"

// serverRestart ends every session. It bites when a living client found its connection gone.
func serverRestart() Kind {
	return kind{name: "server-restart", forms: []form{breaks("restart")}, bit: func(d sim.Deviation, r run) bool {
		return some(r.after(), marked(server, "restarted")) && some(r.after(), func(e sim.Entry) bool {
			return e.Actor.Life >= 0 && (e.What == "gone" || failed(e, "57P01"))
		})
	}}
}

// readOnly is a failover whose new server accepts no writes for a while. It bites when a write was refused for that.
func readOnly() Kind {
	return kind{name: "read-only", forms: []form{breaksFor("read-only")}, bit: func(d sim.Deviation, r run) bool {
		return some(r.after(), func(e sim.Entry) bool { return failed(e, "25006") })
	}}
}

// lostTail is a standby that stopped receiving and takes over that much later.
func lostTail() Kind { return goesBack("lost-tail", "failover", "standby stopped", "failed over") }

// restore is a backup that is brought back that much later.
func restore() Kind { return goesBack("restore", "restore", "backed up", "restored") }

// goesBack is a database that becomes again what it was. It bites when a commit that had been acknowledged is gone.
func goesBack(name, verb, from, to string) Kind {
	return kind{name: name, forms: []form{breaksFor(verb)}, bit: func(d sim.Deviation, r run) bool {
		start := first(r.after(), marked(server, from))
		if start < 0 {
			return false
		}
		rest := r.after()[start:]
		tail := until(rest, marked(server, to))
		return len(tail) < len(rest) && acknowledged(r.all[:r.at+1+start], tail)
	}}
}
