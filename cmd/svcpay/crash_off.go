//go:build !chaos

package main

// extraSettings are those of test builds: none here.
func extraSettings() []setting { return nil }
