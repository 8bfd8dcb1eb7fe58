//go:build !planted

package planted

// Is tells whether this build has that bug: it has none.
func Is(string) bool { return false }
