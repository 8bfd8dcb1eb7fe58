// Package chaos runs the real program while everything around it fails: it is killed, its database is
// killed, its network is cut, its processor loses answers. Then it compares what clients were told,
// what the database holds and what the processor's own book says.
package chaos

import (
	"flag"
	"testing"
	"time"
)

// root is the module, seen from this package's directory.
const root = "../.."

var (
	lasts = flag.Duration("for", 20*time.Second, "how long faults happen; from 100s on every fault must")
	seed  = flag.Uint64("seed", 0, "what the choice of faults is made of; 0 for a new one")
	hunt  = flag.String("planted", "", "bugs on purpose, separated by commas, or all: each must be found")
)

// TestChaos runs the program, or, with -planted, programs that have a bug each.
func TestChaos(t *testing.T) {
	if *hunt != "" {
		for _, bug := range named(t, *hunt) {
			t.Run(bug, func(t *testing.T) { huntFor(t, bug) })
		}
		return
	}
	r := begin(t, *seed, program(t, "-tags", "chaos"))
	r.rage(*lasts)
	r.settle()
	r.audit()
	r.report()
	for _, what := range r.found.all() {
		t.Error(what)
	}
	for _, what := range r.unseen(*lasts) {
		t.Errorf("inconclusive: %s", what)
	}
}
