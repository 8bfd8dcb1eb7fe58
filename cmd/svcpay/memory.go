package main

import "runtime/debug"

// heapGrowth is by how many percent the heap of a service may grow before it is collected, where GOGC does not say.
// What a service keeps is small, and most of what it allocates is gone with its request: collecting at each doubling,
// as programs do on their own, would take a fifth of its processor time. GOMEMLIMIT bounds it from above.
const heapGrowth = 300

// tuneMemory sets when garbage is collected.
func tuneMemory(env []string) {
	if lookup(env, "GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}
