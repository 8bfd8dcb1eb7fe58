//go:build chaos

// Package crash kills the process at named points, so that tests can show what survives. Only builds with the chaos tag
// contain it.
package crash

import (
	"sync/atomic"
	"syscall"
)

var armed atomic.Pointer[target]

type target struct {
	point string
	left  atomic.Int64
}

// Arm makes the hit-th passage of point the last thing that this process does.
func Arm(point string, hit int64) {
	t := &target{point: point}
	t.left.Store(hit)
	armed.Store(t)
}

// Point dies by SIGKILL if it is the armed one.
func Point(name string) {
	if t := armed.Load(); t != nil && t.point == name && t.left.Add(-1) == 0 {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// Enabled reports whether this build can crash on purpose.
const Enabled = true
