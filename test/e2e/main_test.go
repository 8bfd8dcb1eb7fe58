// Package e2e runs the real program as a child process, talks to it over HTTP, kills it, and then
// compares what clients were told, what the database holds and what the processor's book says.
package e2e

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"svcpay/test/rig"
)

// root is the module, seen from this package's directory.
const root = "../.."

// atOnce is how many tests run side by side, unless the command line says otherwise: enough to fill the times in which
// they wait for clocks, and so few that on two processors a server still answers in time.
const atOnce = "8"

// The program, as it is delivered and as a build that can be told to kill itself.
var program, chaosProgram string

// crashPoints are those that the source names.
var crashPoints map[string]bool

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "svcpay-e2e-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if crashPoints, err = rig.ReadSources(root); err != nil {
		return 0, err
	}
	program, chaosProgram = filepath.Join(dir, "svcpay"), filepath.Join(dir, "svcpay-chaos")
	built := make(chan error, 2)
	go func() { built <- rig.Build(root, program) }()
	go func() { built <- rig.Build(root, chaosProgram, "-tags", "chaos") }()
	if err := errors.Join(<-built, <-built); err != nil {
		return 0, err
	}
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", atOnce); err != nil {
			return 0, err
		}
	}
	code = m.Run()
	if left := runningFrom(dir); len(left) > 0 {
		return code, fmt.Errorf("the tests left processes behind: %v", left)
	}
	return code, nil
}
