package main

import (
	"runtime/debug"
	"testing"
)

// What the environment says of garbage goes before what we do.
func TestMemoryIsTunedUnlessTheEnvironmentSaysHow(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	for env, want := range map[string]int{"GOGC=50": 100, "HOME=/root": heapGrowth} {
		debug.SetGCPercent(100)
		tuneMemory([]string{env})
		if got := debug.SetGCPercent(100); got != want {
			t.Errorf("%s: %d, want %d", env, got, want)
		}
	}
}
