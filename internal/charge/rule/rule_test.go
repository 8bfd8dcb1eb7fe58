package rule_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/charge/rule"
	"svcpay/internal/money"
	"svcpay/internal/processor"
)

func anySettings() *rapid.Generator[rule.Settings] {
	window := rapid.Ptr(rapid.Custom(func(t *rapid.T) rule.Window {
		return rule.Window{Charges: rapid.IntRange(1, 3).Draw(t, "charges"),
			Hours: rapid.IntRange(1, 168).Draw(t, "hours")}
	}), true)
	return rapid.Custom(func(t *rapid.T) rule.Settings {
		s := rule.Settings{CVCMismatch: rapid.Bool().Draw(t, "cvc"), PostalCodeMismatch: rapid.Bool().Draw(t, "postal"),
			CardVelocity: window.Draw(t, "card"), EmailVelocity: window.Draw(t, "email"),
			AddressVelocity: window.Draw(t, "address")}
		if rapid.Bool().Draw(t, "has minimum") {
			least := money.Amount(rapid.Int64Range(1, 1000).Draw(t, "minimum"))
			s.MinimumAmount = &least
		}
		if rapid.Bool().Draw(t, "has countries") {
			codes := rapid.SliceOfN(rapid.SampledFrom([]string{"US", "CA", "FR"}), 1, 3).Draw(t, "codes")
			if rapid.Bool().Draw(t, "allowed") {
				s.AllowedCountries = codes
			} else {
				s.BlockedCountries = codes
			}
		}
		return s
	})
}

func anyFacts() *rapid.Generator[rule.Facts] {
	return rapid.Custom(func(t *rapid.T) rule.Facts {
		text := rapid.SampledFrom([]string{"", "x"})
		return rule.Facts{Amount: money.Amount(rapid.Int64Range(1, 1000).Draw(t, "amount")),
			Country: rapid.SampledFrom([]string{"US", "CA", "FR", ""}).Draw(t, "country"),
			Traits:  rule.Traits{Card: "card", Email: text.Draw(t, "email"), Address: text.Draw(t, "address")},
			Listed:  rapid.SliceOfN(rapid.SampledFrom([]rule.List{rule.Allow, rule.Block}), 0, 3).Draw(t, "listed"),
			Uses: map[rule.Name]int{rule.CardVelocity: rapid.IntRange(0, 3).Draw(t, "cards"),
				rule.EmailVelocity:   rapid.IntRange(0, 3).Draw(t, "emails"),
				rule.AddressVelocity: rapid.IntRange(0, 3).Draw(t, "addresses")}}
	})
}

// A block entry wins over everything, an allow entry over all other rules, and no rules block nothing.
func TestListsComeFirst(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, f := anySettings().Draw(t, "settings"), anyFacts().Draw(t, "facts")
		got := s.Decide(f)
		switch {
		case slices.Contains(f.Listed, rule.Block):
			if got.Blocked != rule.BlockList {
				t.Fatalf("blocked by %q", got.Blocked)
			}
		case slices.Contains(f.Listed, rule.Allow):
			if got.Blocked != "" || len(got.Then) > 0 {
				t.Fatalf("allowed, but %+v", got)
			}
		case got.Blocked == rule.BlockList:
			t.Fatal("no entry blocks it")
		}
		f.Listed = nil
		if free := (rule.Settings{}).Decide(f); free.Blocked != "" || len(free.Then) > 0 {
			t.Fatalf("no rules decide %+v", free)
		}
	})
}

// A rule that blocks a payment does so on its own, and a payment that none blocks on its own is not blocked by all.
func TestRulesAreIndependent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, f := anySettings().Draw(t, "settings"), anyFacts().Draw(t, "facts")
		f.Listed = nil
		alone := map[rule.Name]rule.Settings{rule.MinimumAmount: {MinimumAmount: s.MinimumAmount},
			rule.Country:         {AllowedCountries: s.AllowedCountries, BlockedCountries: s.BlockedCountries},
			rule.CardVelocity:    {CardVelocity: s.CardVelocity},
			rule.EmailVelocity:   {EmailVelocity: s.EmailVelocity},
			rule.AddressVelocity: {AddressVelocity: s.AddressVelocity}}
		got, blocks := s.Decide(f).Blocked, 0
		for name, one := range alone {
			if one.Decide(f).Blocked == name {
				blocks++
			} else if got == name {
				t.Fatalf("%s blocks together with others only", name)
			}
		}
		if (blocks > 0) != (got != "") {
			t.Fatalf("%d rules block it, together %q", blocks, got)
		}
	})
}

func TestBoundaries(t *testing.T) {
	t.Parallel()
	least := money.Amount(500)
	window := &rule.Window{Charges: 2, Hours: 1}
	us := []string{"US"}
	for name, c := range map[string]struct {
		s    rule.Settings
		f    rule.Facts
		want rule.Name
	}{
		"minimum":         {rule.Settings{MinimumAmount: &least}, rule.Facts{Amount: 500}, ""},
		"below it":        {rule.Settings{MinimumAmount: &least}, rule.Facts{Amount: 499}, rule.MinimumAmount},
		"allowed country": {rule.Settings{AllowedCountries: us}, rule.Facts{Country: "US"}, ""},
		"another one":     {rule.Settings{AllowedCountries: us}, rule.Facts{Country: "CA"}, rule.Country},
		"the last within a window": {rule.Settings{CardVelocity: window}, rule.Facts{
			Traits: rule.Traits{Card: "c"}, Uses: map[rule.Name]int{rule.CardVelocity: 1}}, ""},
		"one more": {rule.Settings{CardVelocity: window}, rule.Facts{
			Traits: rule.Traits{Card: "c"}, Uses: map[rule.Name]int{rule.CardVelocity: 2}}, rule.CardVelocity},
		"without an address": {rule.Settings{EmailVelocity: window}, rule.Facts{
			Uses: map[rule.Name]int{rule.EmailVelocity: 2}}, ""},
	} {
		if got := c.s.Decide(c.f).Blocked; got != c.want {
			t.Errorf("%s: blocked by %q, want %q", name, got, c.want)
		}
	}
}

func TestOnlyFailedChecksBreakRules(t *testing.T) {
	t.Parallel()
	then := rule.Settings{CVCMismatch: true, PostalCodeMismatch: true}.Decide(rule.Facts{}).Then
	if again := rule.Noted(rule.Note(then)); !slices.Equal(again, then) || len(then) != 2 {
		t.Errorf("%v is noted as %v", then, again)
	}
	if rule.Note(nil) != nil || rule.Noted(nil) != nil {
		t.Error("no rules are noted as some")
	}
	for _, c := range []struct {
		cvc, zip processor.CheckResult
		want     rule.Name
	}{
		{processor.Pass, processor.Pass, ""}, {processor.Unavailable, processor.Unavailable, ""}, {"", "", ""},
		{processor.Fail, processor.Pass, rule.CVCMismatch}, {processor.Pass, processor.Fail, rule.PostalCodeMismatch},
		{processor.Fail, processor.Fail, rule.CVCMismatch},
	} {
		checks := processor.Checks{CVC: c.cvc, AddressZip: c.zip}
		if got := rule.Broken(then, checks); got != c.want {
			t.Errorf("%+v break %q, want %q", checks, got, c.want)
		}
		if got := rule.Broken(nil, checks); got != "" {
			t.Errorf("no rules: %q", got)
		}
	}
}

func TestTraitsAreComparedInOneForm(t *testing.T) {
	t.Parallel()
	a := rule.TraitsOf([]byte{0xab}, "424242", "Dana@Example.ORG", "12 Main St.", "k1a 0b1")
	b := rule.TraitsOf([]byte{0xab}, "424242", "dana@example.org", "12 MAIN ST", "K1A-0B1")
	if a != b || a.Card != "ab" || a.Domain != "example.org" || a.PostalCode != "K1A0B1" ||
		a.Address != "12MAINST K1A0B1" {
		t.Errorf("%+v, %+v", a, b)
	}
	if none := rule.TraitsOf(nil, "", "", "12 Main St", ""); none != (rule.Traits{}) {
		t.Errorf("an address without a postal code: %+v", none)
	}
}
