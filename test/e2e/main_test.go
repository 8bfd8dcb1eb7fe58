// Package e2e runs the real program as a child process, talks to it over HTTP, kills it, and then
// compares what clients were told, what the database holds and what the processor's book says.
package e2e

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the module, seen from this package's directory.
const root = "../.."

// atOnce is how many tests run side by side. They wait for clocks more than they compute.
const atOnce = "24"

// The program, as it is delivered and as a build that can be told to kill itself.
var program, chaosProgram string

// crashPoints are those that the source names.
var crashPoints = map[string]bool{}

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
	if err := readSources(); err != nil {
		return 0, err
	}
	program, chaosProgram = filepath.Join(dir, "svcpay"), filepath.Join(dir, "svcpay-chaos")
	built := make(chan error, 2)
	go func() { built <- build(program) }()
	go func() { built <- build(chaosProgram, "-tags", "chaos") }()
	if err := errors.Join(<-built, <-built); err != nil {
		return 0, err
	}
	flag.Parse()
	if err := flag.Set("test.parallel", atOnce); err != nil {
		return 0, err
	}
	code = m.Run()
	if left := runningFrom(dir); len(left) > 0 {
		return code, fmt.Errorf("the tests left processes behind: %v", left)
	}
	return code, nil
}

func build(path string, flags ...string) error {
	cmd := exec.Command("go", append(append([]string{"build", "-trimpath", "-o", path}, flags...), "./cmd/svcpay")...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(cmd.Args[1:], " "), err, out)
	}
	return nil
}

var crashCall = regexp.MustCompile(`crash\.Point\("([^"]+)"\)`)

// crashFlow is where a flow gets its name, of which its own two points are made, and crashFeed where a
// feed gets that of its two.
var (
	crashFlow = regexp.MustCompile(`(?:operation\.Flow\[[^\]]+\]|= flow)\{Name: "(\w+)"`)
	crashFeed = regexp.MustCompile(`Feed\[[^\]]+\]\{[^}]*point: "(\w+)"`)
)

// readSources collects the crash points. Opening every file that the program is built from also
// tells `go test` what a cached result of this package depends on.
func readSources() error {
	for _, tree := range []string{"go.mod", "api", "cmd", "examples/shop", "internal", "migrations", "policy", "static/dist"} {
		err := filepath.WalkDir(filepath.Join(root, tree), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.HasSuffix(path, "_test.go") { // its points are not the program's
				return err
			}
			for _, call := range crashCall.FindAllSubmatch(text, -1) {
				crashPoints[string(call[1])] = true
			}
			for _, flow := range crashFlow.FindAllSubmatch(text, -1) {
				crashPoints[string(flow[1])+".called"], crashPoints[string(flow[1])+".finished"] = true, true
			}
			for _, feed := range crashFeed.FindAllSubmatch(text, -1) {
				crashPoints[string(feed[1])+".pulled"], crashPoints[string(feed[1])+".handled"] = true, true
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
