package chaos

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/testing/planted"
	"svcpay/test/rig"
)

// bugs are those that -planted names.
func bugs(t *testing.T, list string) []string {
	t.Helper()
	if list == "all" {
		return planted.Names()
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		if !slices.Contains(planted.Names(), name) {
			t.Fatalf("there is no bug %q, there are %q", name, planted.Names())
		}
	}
	return names
}

// program builds the real program with some flags.
func program(t *testing.T, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "svcpay")
	if err := rig.Build(root, path, flags...); err != nil {
		t.Fatal(err)
	}
	return path
}

// huntFor runs a program that has a bug until it is found.
func huntFor(t *testing.T, bug string) {
	r := begin(t, *seed, program(t, "-tags", "chaos,planted", "-ldflags", "-X svcpay/internal/testing/planted.bug="+bug))
	began := time.Now()
	for time.Since(began) < 3*time.Minute && len(r.found.all()) == 0 {
		r.rage(*lasts)
	}
	if len(r.found.all()) == 0 {
		r.settle()
		r.audit()
	}
	r.report()
	all := r.found.all()
	if len(all) == 0 {
		t.Fatalf("%s is not found", bug)
	}
	t.Logf("%s is found after %s, seed %d: %s", bug, time.Since(began).Round(time.Second), r.seed, all[0])
}
