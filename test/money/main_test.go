// Package money tries to break the books: random lives of applications, requests that race, fees that
// change. After each the records, the events, the ledger and the processor's own book are compared.
package money

import (
	"flag"
	"log/slog"
	"os"
	"testing"
)

// How much of everything is tried, unless the command line says otherwise.
const (
	sequences = "8" // lives of an application in each of the worlds
	worlds    = 4   // at once
	steps     = 80  // operations of a life
)

func TestMain(m *testing.M) {
	flag.Parse()
	for name, value := range map[string]string{"rapid.checks": sequences, "rapid.nofailfile": "true",
		"rapid.shrinktime": "20s"} {
		if given(name) {
			continue
		}
		if err := flag.Set(name, value); err != nil {
			panic(err) // rapid has no such flag any more
		}
	}
	// Answers are lost all the time here.
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})))
	os.Exit(m.Run())
}

// given reports whether the command line has a flag.
func given(name string) (yes bool) {
	flag.Visit(func(f *flag.Flag) { yes = yes || f.Name == name })
	return yes
}
