package e2e

import (
	"testing"

	"svcpay/internal/testing/pgtest"
)

// TestDAFDocument runs the commands of docs/daf.md and holds it to what they print.
func TestDAFDocument(t *testing.T) {
	t.Parallel()
	url := "DATABASE_URL=" + pgtest.URL(t)
	d := startDev(t, stateDir(t), []string{url})
	d.play(t, root+"/docs/daf.md", d.asShown, url, "SVCPAY_ENVIRONMENT=sandbox")
}
