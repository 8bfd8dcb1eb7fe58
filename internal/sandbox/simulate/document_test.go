package simulate_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/sandbox/simulate"
)

// TestSandboxDocumentNamesEveryOutcome: docs/sandbox.md has a row for each outcome of each resource.
func TestSandboxDocumentNamesEveryOutcome(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	for resource, outcomes := range map[string][]string{
		"charges": simulate.ChargeOutcomes(), "disputes": simulate.DisputeOutcomes(),
		"payouts":      simulate.PayoutOutcomes(),
		"dafDonations": simulate.DonationOutcomes(), "refunds": simulate.RefundOutcomes(),
	} {
		for _, outcome := range outcomes {
			if !slices.ContainsFunc(strings.Split(string(text), "\n"), func(row string) bool {
				return strings.HasPrefix(row, "| "+resource+" |") && strings.Contains(row, "`"+outcome+"`")
			}) {
				t.Errorf("docs/sandbox.md has no row of %s for %s", resource, outcome)
			}
		}
	}
}
