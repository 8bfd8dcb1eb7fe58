package reconcile

// SetBatch makes the batches of a service smaller, so that a test needs few records for many of them.
func (s *runs) SetBatch(n int) { s.batch = n }
