package event_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"svcpay/internal/event"
)

// TestTypesDocument compares docs/events.md with the catalogue.
func TestTypesDocument(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	want.WriteString("| type | object | happens when | former values always included |\n|---|---|---|---|\n")
	for _, k := range event.Types() {
		former := "–"
		switch {
		case len(k.Former) > 0:
			former = "`" + strings.Join(k.Former, "`, `") + "`, `version`"
		case !k.First():
			former = "`version`"
		}
		fmt.Fprintf(&want, "| `%s` | `%s` | %s | %s |\n", k.Name, k.Object, k.Meaning, former)
	}
	text, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/events.md must contain this table:\n%s", want.String())
	}
	if n := strings.Count(string(text), "\n| `"); n != len(event.Types()) {
		t.Errorf("docs/events.md has %d rows of types, there are %d", n, len(event.Types()))
	}
}
