package payments

import (
	"slices"
	"testing"

	"svcpay/internal/dispute"
	"svcpay/views/text"
)

func TestEvidenceHasAPlaceForEveryText(t *testing.T) {
	t.Parallel()
	var placed []string
	for _, g := range evidenceGroups {
		placed = append(placed, g.texts...)
		if text.English.Disputes.Groups[g.name] == "" {
			t.Errorf("the group %s has no title", g.name)
		}
	}
	names := dispute.EvidenceNames()
	for _, name := range names {
		if text.English.Disputes.Fields[name] == "" {
			t.Errorf("%s has no label", name)
		}
	}
	slices.Sort(placed)
	slices.Sort(names)
	if !slices.Equal(placed, names) {
		t.Errorf("the form has %v, evidence has %v", placed, names)
	}
}
