//go:build !chaos

// Package crash kills the process at named points, so that tests can show what survives. Only builds with the chaos tag
// contain it.
package crash

// Arm does nothing in this build.
func Arm(string, int64) {}

// Point does nothing in this build.
func Point(string) {}

// Enabled reports whether this build can crash on purpose.
const Enabled = false
