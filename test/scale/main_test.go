// Package scale runs several servers on one database: behind one address, through a pooler, over a
// primary and its standby. Each is killed in its turn, and the books are audited afterwards.
package scale

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"svcpay/test/rig"
)

const (
	// root is the module, seen from this package's directory.
	root = "../.."
	// patience is for what a busy machine does slowly, not for what may be slow.
	patience = 2 * time.Minute
)

// program is the program as it is delivered.
var program string

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "svcpay-scale-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if _, err := rig.ReadSources(root); err != nil { // what a cached result depends on
		return 0, err
	}
	program = filepath.Join(dir, "svcpay")
	if err := rig.Build(root, program); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// eventually polls until it is so, and says how long that took.
func eventually(t *testing.T, what string, so func() bool) time.Duration {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if so() {
			return time.Since(begun).Round(time.Millisecond)
		}
		if time.Since(begun) > patience {
			t.Fatalf("waited %s for: %s", patience, what)
		}
	}
}
