package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// When garbage is collected, where GOGC and GOMEMLIMIT do not say. What a service keeps is small, and most of what it allocates is
// gone with its request: to collect at each doubling, as programs do by themselves, would take a fifth of its processor time. So its
// heap grows by heapGrowth percent first, but sooner is collected what would make Go's memory more than modest bytes; or several
// times what is kept where that is more, or a server that keeps much would do nothing but collect.
const (
	heapGrowth = 400
	modest     = 144 << 20
	several    = 3
)

// tuneMemory sets when garbage is collected.
func tuneMemory(env []string) {
	if lookup(env, "GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	if lookup(env, "GOMEMLIMIT") == "" {
		boundMemory()
	}
}

// boundMemory says how much memory there may be before it is collected sooner, and says so anew whenever it was collected.
func boundMemory() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetMemoryLimit(bound(int64(live[0].Value.Uint64())))
	type collected struct{ _ *byte } // with a pointer: what has none may share its block with what lives on
	runtime.AddCleanup(new(collected), func(struct{}) { boundMemory() }, struct{}{})
}

// bound is the limit of a program that keeps so many bytes.
func bound(live int64) int64 { return max(modest, several*live) }
