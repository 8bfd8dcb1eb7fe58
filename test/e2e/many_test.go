//go:build long

package e2e

// The rolling restarts of the long run.
const restarts, enoughCalls = 15, 20_000
