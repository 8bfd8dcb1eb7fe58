package sandbox_test

import (
	"os"
	"strings"
	"testing"

	"svcpay/internal/daf/provider/sandbox"
)

// TestGuide compares docs/sandbox.md with who can sign in, and who can be enrolled.
func TestGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range sandbox.Personas() {
		if row := "| `" + p.Username + "` | " + p.What + " |"; !strings.Contains(string(text), row) {
			t.Errorf("docs/sandbox.md must have the row %s", row)
		}
	}
	for _, o := range sandbox.Organizations() {
		if !strings.Contains(string(text), o.EIN) {
			t.Errorf("docs/sandbox.md must name %s", o.EIN)
		}
	}
	for _, word := range []string{sandbox.Password, sandbox.Code, sandbox.GoodBlock + "00", sandbox.PagesPath} {
		if !strings.Contains(string(text), word) {
			t.Errorf("docs/sandbox.md must name %s", word)
		}
	}
}
