package charge_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"svcpay/internal/charge"
)

// TestStatesDocument compares docs/charge-states.md with the moves that the code allows.
func TestStatesDocument(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	want.WriteString("| from | to | event |\n|---|---|---|\n")
	for _, m := range charge.Moves() {
		from := "–"
		if m.From != "" {
			from = "`" + string(m.From) + "`"
		}
		fmt.Fprintf(&want, "| %s | `%s` | `%s` |\n", from, m.To, m.Event)
	}
	text, err := os.ReadFile("../../docs/charge-states.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/charge-states.md must contain this table:\n%s", want.String())
	}
}
