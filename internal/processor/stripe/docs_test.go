package stripe_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/processor/returncode"
	"svcpay/internal/processor/stripe"
)

// TestGuideHasEveryTextOfEvidence checks that the guide has a row for each text of evidence, with Stripe's field.
func TestGuideHasEveryTextOfEvidence(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/processors/stripe.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "| evidence | Stripe's field |")
	section, _, _ = strings.Cut(section, "\n\n")
	word, listed := regexp.MustCompile("`([a-z_]+)`"), map[string]string{}
	for line := range strings.SplitSeq(section, "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 4 && strings.Contains(line, "`") {
			for _, m := range word.FindAllStringSubmatch(cells[1], -1) {
				listed[m[1]] = word.FindStringSubmatch(cells[2])[1]
			}
		}
	}
	want := maps.Clone(evidenceFields)
	for name := range evidenceHeadings {
		want[name] = "uncategorized_text"
	}
	want["duplicate_charge_id"] = "duplicate_charge_id"
	if !maps.Equal(listed, want) {
		t.Errorf("the guide has %v", listed)
	}
}

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

// TestGuideHasEveryReturnCode compares the guide's table of return codes with the adapter's.
func TestGuideHasEveryReturnCode(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/processors/stripe.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Bank debits")
	section, _, _ = strings.Cut(section, "\n## ")
	row := regexp.MustCompile("(?m)^\\| (.+) \\| `(R\\d\\d)` \\| `(9\\d\\d)` \\|$")
	word, listed := regexp.MustCompile("`([a-z_]+)`"), map[string][2]string{}
	for _, cells := range row.FindAllStringSubmatch(section, -1) {
		for _, m := range word.FindAllStringSubmatch(cells[1], -1) {
			listed[m[1]] = [2]string{cells[2], cells[3]}
		}
	}
	if codes := stripe.DebitCodes(); !maps.Equal(listed, codes) {
		t.Errorf("the guide has %v, the adapter %v", listed, codes)
	}
	for reason, codes := range stripe.DebitCodes() {
		for _, code := range codes {
			if _, known := returncode.Find(code); !known {
				t.Errorf("%s has the unknown return code %s", reason, code)
			}
		}
	}
}

// TestGuideHasEveryEvent checks that the guide lists the event types that a person's webhook endpoints need.
func TestGuideHasEveryEvent(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/processors/stripe.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "To add the endpoints yourself")
	section, _, _ = strings.Cut(section, "\n\n")
	own, connected, _ := strings.Cut(section, "For connected accounts")
	word := regexp.MustCompile("`([a-z_]+\\.[a-z_.]+)`")
	for text, scope := range map[string]string{own: stripe.OwnEvents, connected: stripe.ConnectedEvents} {
		var listed []string
		for _, m := range word.FindAllStringSubmatch(text, -1) {
			listed = append(listed, m[1])
		}
		slices.Sort(listed)
		if want := stripe.EventsIn(scope); !slices.Equal(listed, want) {
			t.Errorf("%s: the guide has %q, want %q", scope, listed, want)
		}
	}
}
