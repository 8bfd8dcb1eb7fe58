package stripe_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/processor/stripe"
)

// TestGuideHasEveryDeclineCode compares the guide's table with the adapter's.
func TestGuideHasEveryDeclineCode(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/processors/stripe.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Decline codes")
	word, listed := regexp.MustCompile("`([a-z_]+)`"), map[string]string{}
	for line := range strings.SplitSeq(section, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			continue
		}
		for _, m := range word.FindAllStringSubmatch(cells[1], -1) {
			listed[m[1]] = word.FindStringSubmatch(cells[2])[1]
		}
	}
	codes := map[string]string{}
	for _, code := range stripe.DeclineCodes() {
		codes[code] = stripe.DeclineOf(code, "")
	}
	if !maps.Equal(listed, codes) {
		t.Errorf("the guide has %v, the adapter %v", listed, slices.Collect(maps.Keys(codes)))
	}
}
