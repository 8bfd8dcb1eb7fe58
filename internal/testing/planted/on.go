//go:build planted

package planted

// bug is the one that this build has; the linker sets it.
var bug string

// Is tells whether this build has that bug.
func Is(name string) bool { return bug == name }
