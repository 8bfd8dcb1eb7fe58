package localpg

import (
	"os"
	"path/filepath"
	"testing"
)

// fakePrograms is a directory whose programs know nothing but their version.
func fakePrograms(t *testing.T, version string, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		script := "#!/bin/sh\necho '" + name + " (PostgreSQL) " + version + "'\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestChoose is not parallel: a program being written while another test forks
// could not be run.
func TestChoose(t *testing.T) {
	new := fakePrograms(t, "17.10", "initdb", "postgres")
	debian := fakePrograms(t, "15.18 (Debian 15.18-0+deb12u1)", "initdb", "postgres")
	ancient := fakePrograms(t, "13.5", "initdb", "postgres")
	half := fakePrograms(t, "18.1", "postgres")
	for _, c := range []struct{ major, dir, found string }{
		{"", new, "17"},
		{"15", debian, "15"},
		{"13", ancient, "13"}, // its data exist: nothing else can open them
	} {
		got, err := choose(t.Context(), c.major, []string{half, ancient, new, debian})
		if err != nil {
			t.Fatal(err)
		}
		if want := (Programs{Dir: c.dir, Major: c.found}); got != want {
			t.Errorf("for %q chosen is %v, want %v", c.major, got, want)
		}
	}
	_, err := choose(t.Context(), "16", []string{new, debian})
	wantError(t, err, "PostgreSQL 16 is needed", "17 ("+new, "15 ("+debian)
	_, err = choose(t.Context(), "", []string{ancient})
	wantError(t, err, "too old", "make postgres")
	_, err = choose(t.Context(), "", []string{half, t.TempDir()})
	wantError(t, err, "no PostgreSQL found", "make postgres", "DATABASE_URL")
}

func TestCandidatesEndWithOurOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		root bool
		last string
	}{
		{true, "/var/lib/svcpay/pgbin/bin"},
		{false, "/home/dana/.local/state/svcpay/pgbin/bin"},
	} {
		dirs := candidates("/home/dana", c.root)
		if got := dirs[len(dirs)-1]; got != c.last {
			t.Errorf("the last place is %s, want %s", got, c.last)
		}
	}
}

func TestNewestFirst(t *testing.T) {
	t.Parallel()
	dirs := []string{"/usr/lib/postgresql/9/bin", "/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/17/bin",
		"/usr/lib/postgresql/100/bin"}
	newestFirst(dirs)
	if dirs[0] != "/usr/lib/postgresql/100/bin" || dirs[1] != "/usr/lib/postgresql/17/bin" ||
		dirs[3] != "/usr/lib/postgresql/9/bin" {
		t.Errorf("order is %v", dirs)
	}
}
