package overview

import (
	"testing"

	"svcpay/internal/identity"
	"svcpay/views/text"
)

// A number is compared with the days before only if these are whole, and never in more than three digits.
func TestComparisonsOfTheHomePage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		now, before int64
		whole       bool
		words       string
		sign        int
	}{
		{0, 0, true, "", 0}, {0, 0, false, "", 0}, {100, 0, true, "–", 0}, {187, 100, false, "–", 0},
		{187, 100, true, "87%", 1}, {50, 100, true, "50%", -1},
		{100, 100, true, "0%", 0}, {0, 100, true, "100%", -1}, {1_099, 100, true, "999%", 1},
		{1_100, 100, true, "> 999%", 1}, {172_219_600, 100_000, true, "> 999%", 1},
	} {
		got := change(text.English, c.now, c.before, c.whole)
		if got.Words != c.words || got.Sign != c.sign || got.Unknown != (c.words == "–") {
			t.Errorf("%d after %d (%v): %+v", c.now, c.before, c.whole, got)
		}
	}
}

func TestRolesAreNamed(t *testing.T) {
	t.Parallel()
	pairs := grantPairs(text.English,
		[]identity.Grant{{Role: "application_admin", Scope: "app", ScopeName: "Riverside"},
			{Role: "organization_staff", Scope: "org", ScopeName: "Food Bank"}})
	if pairs[0].Value != "Application administrator" || pairs[0].Detail != "Application Riverside" ||
		pairs[1].Value != "Organization staff" || pairs[1].Detail != "Organization Food Bank" {
		t.Errorf("grants read %+v", pairs)
	}
	if none := grantPairs(text.English, nil); len(none) != 1 || none[0].Value != "None yet" {
		t.Errorf("no grants read %+v", none)
	}
}
