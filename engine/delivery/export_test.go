package delivery

// Draining lets a test wait until the worker has heard of its drain.
func (w *Worker) Draining() bool { return w.idle.Draining() }
