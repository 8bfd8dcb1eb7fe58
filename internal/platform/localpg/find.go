package localpg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oldest is the first major version whose SQL is enough for us.
const oldest = 15

// Programs are the server's programs of one version.
type Programs struct {
	Dir   string // the directory of postgres and initdb
	Major string // "15"
}

// Find looks for the server's programs: Debian's, newest first, then PATH,
// then where `make postgres` puts them. If major is not empty only that major
// version will do, else any that is not too old. The error says what was found instead, and what to run.
func Find(ctx context.Context, major, home string, root bool) (Programs, error) {
	return choose(ctx, major, candidates(home, root))
}

func candidates(home string, root bool) []string {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	newestFirst(dirs)
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	return append(dirs, filepath.Join(DefaultDir(root, home), "pgbin", "bin"))
}

// newestFirst sorts paths that differ in a whole number only.
func newestFirst(dirs []string) {
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(b, a))
	})
}

func choose(ctx context.Context, major string, dirs []string) (Programs, error) {
	var others []string
	for _, dir := range dirs {
		found, err := version(ctx, dir)
		switch {
		case err != nil:
			continue
		case major == found, major == "" && recent(found):
			return Programs{Dir: dir, Major: found}, nil
		}
		others = append(others, found+" ("+dir+")")
	}
	switch only := strings.Join(others, ", "); {
	case only != "" && major != "":
		return Programs{}, fmt.Errorf("PostgreSQL %s is needed, but found is only %s", major, only)
	case only != "":
		return Programs{},
			fmt.Errorf("found is only PostgreSQL %s, too old: run `make postgres` once, or set DATABASE_URL", only)
	}
	return Programs{}, errors.New("no PostgreSQL found: run `make postgres` once, or set DATABASE_URL")
}

func recent(major string) bool {
	n, err := strconv.Atoi(major)
	return err == nil && n >= oldest
}

var versionText = regexp.MustCompile(`\) (\d+)`)

// version asks both programs, so that half an installation is not taken.
func version(ctx context.Context, dir string) (string, error) {
	var major string
	for _, name := range []string{"initdb", "postgres"} {
		out, err := exec.CommandContext(ctx, filepath.Join(dir, name), "--version").Output()
		if err != nil {
			return "", err
		}
		m := versionText.FindSubmatch(out)
		if m == nil {
			return "", fmt.Errorf("%s: unknown version", dir)
		}
		major = string(m[1])
	}
	return major, nil
}
