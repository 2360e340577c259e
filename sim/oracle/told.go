package oracle

import (
	"slices"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// NotCommitted is the line of a history in which a process says, of the task that the text names, that its transaction was
// surely not committed.
const NotCommitted = "not committed"

// told: who says that a transaction was surely not committed must know: it may be done again on that word. The last COMMIT
// of the task was not answered by the server then, heard or not. One that lands later is judged by together.
func told() Oracle {
	return claim{name: "told", spoil: deniedACommit, check: func(v View, s *seen) {
		if v.History == nil {
			return
		}
		done := map[sim.Actor]bool{} // of a task, whose life does not matter: its last transaction was committed
		back := map[sim.Actor]bool{} // and was read back already: the next read-back is of something that was never sent
		for _, e := range v.History.Entries {
			task := sim.Actor{Process: e.Actor.Process, Task: e.Actor.Task}
			switch {
			case e.What == NotCommitted:
				task.Task = e.Text
				if done[task] {
					s.broke("call:"+task.Process+"/"+task.Task, "it says that its transaction was surely not committed, and the server did commit it")
				}
			case e.Label == "sql:commit" && e.What == "answer":
				s.look()
				done[task], back[task] = !strings.Contains(e.Text, "ERROR"), false
			case e.What == "answer" && asksBack(e.Label) && e.Rows > 0:
				done[task], back[task] = done[task] && !back[task], true
			case e.What == "statement" && !asksBack(e.Label):
				done[task] = false // something new
			}
		}
	}}
}

// asksBack tells the statements of a transaction that asks what became of the one before.
func asksBack(label string) bool {
	name := strings.TrimPrefix(label, "sql:")
	return oneOf(name, "begin", "rollback") || slices.Contains(ReadBacks(), name)
}

// deniedACommit lets a task say of what it has just committed that it surely was not.
func deniedACommit(v *View) bool {
	if v.History == nil {
		return false
	}
	for i, e := range v.History.Entries {
		if e.Label == "sql:commit" && e.What == "answer" && !strings.Contains(e.Text, "ERROR") {
			said := sim.Entry{Actor: sim.Actor{Process: e.Actor.Process}, What: NotCommitted, Text: e.Actor.Task}
			v.retell(slices.Insert(slices.Clone(v.History.Entries), i+1, said))
			return true
		}
	}
	return false
}
