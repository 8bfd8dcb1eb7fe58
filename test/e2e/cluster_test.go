package e2e

import (
	"context"
	"os"
	"testing"

	"svcpay/internal/localpg"
)

// cluster is a PostgreSQL of a test's own, durable as one of production is.
type cluster struct {
	dir string // of its state; the data is in postgres
	*localpg.Server
}

// clusterDir is a directory that the server's user may enter, unlike t.TempDir.
func clusterDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svcpay-backup-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func startCluster(t *testing.T, dir string) *cluster {
	t.Helper()
	home, _ := os.UserHomeDir() // nobody has none
	s, err := localpg.Start(t.Context(), localpg.Options{Dir: dir, Home: home, Database: "svcpay"})
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{dir, s}
	t.Cleanup(func() { c.stop(t) })
	return c
}

// stop may be called again.
func (c *cluster) stop(t *testing.T) {
	t.Helper()
	if err := c.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// newPlaceIn makes a place of a cluster's database, which is migrated first.
func newPlaceIn(t *testing.T, c *cluster) *place {
	t.Helper()
	if code, said := launch(t, program, []string{"DATABASE_URL=" + c.URL(), "SVCPAY_ENVIRONMENT=sandbox"}, "migrate").exits(t); code != 0 {
		t.Fatal(said)
	}
	return newPlaceAt(t, c.URL())
}
