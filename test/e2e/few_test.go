//go:build !long

package e2e

// The rolling restarts of every run.
const restarts, enoughCalls = 5, 6_000
