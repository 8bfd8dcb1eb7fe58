package inbound_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain has fewer histories told than rapid would, unless the command line says otherwise: each is of many
// transactions.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", "24"); err != nil {
			panic(err) // rapid has no such flag any more
		}
	}
	os.Exit(m.Run())
}
