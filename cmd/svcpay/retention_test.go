package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/testing/fixture"
)

// docs/operations.md has every job that deletes what is over, and no other.
func TestWhatIsKeptIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	var told, run []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(purge_[a-z_]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		told = append(told, m[1])
	}
	for _, s := range appOf(t, fixture.New(t), apikey.Sandbox).schedules() {
		if strings.HasPrefix(s.Name, "purge_") {
			run = append(run, s.Name)
		}
	}
	slices.Sort(told)
	slices.Sort(run)
	if !slices.Equal(told, run) {
		t.Errorf("the document has %q,\nthe program %q", told, run)
	}
}
