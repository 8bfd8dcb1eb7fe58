package merchant_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

func ptr[T any](v T) *T { return &v }

// least is an input with nothing but what is required.
func least(w *fixture.World, name, country string) merchant.CreateInput {
	return merchant.CreateInput{Name: &name, Country: &country, OrganizationID: &w.App.OrganizationID}
}

// mistakes lists parameter and code of every mistake.
func mistakes(err error) (out []string) {
	f, ok := fault.As(err)
	if !ok {
		return []string{fmt.Sprint(err)}
	}
	for _, m := range f.Fields {
		out = append(out, m.Param+" "+m.Code)
	}
	return out
}

func TestDefaultsOfANewMerchant(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	admin := w.Admin()
	if _, err := w.Fees.SetDefaults(t.Context(), admin, 0, fee.Rates{CaptureFee: 17, DAFPercentage: 1500}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		country, zone string
		currency      money.Currency
	}{{"US", "America/New_York", money.USD}, {"CA", "America/Toronto", money.CAD}} {
		out, err := w.Merchants.Create(t.Context(), w.Actor(), least(w, "L’École d’été – Montréal", c.country), nil)
		m := out.Object
		if err != nil {
			t.Fatal(err)
		}
		next, _ := m.NextPayout(w.Clock.Now())
		if m.Currency != c.currency || m.TimeZone != c.zone || m.BankProcessor != "p" ||
			m.PayoutSchedule != merchant.Daily || m.Status != merchant.Active ||
			m.Version != 1 || m.StatementDescriptor != "L'ECOLE D'ETE MONTREAL" || m.DAFPercentage != 1500 ||
			!m.NextPayoutAt.Equal(next) ||
			m.Organization.ID != w.App.OrganizationID || m.Organization.Name != "Riverside Community Trust" ||
			m.ApplicationID != w.App.AppID || m.Livemode {
			t.Errorf("%+v", m)
		}
		if m.Domains == nil || m.Metadata == nil || m.EIN != nil || m.Nonprofit || m.HasWalletA || m.HasDAFProvider ||
			m.ExternalID != nil {
			t.Errorf("%+v", m)
		}
		if now, err := w.Fees.Current(t.Context(), w.Actor(), m.ID); err != nil || now.CaptureFee != 17 ||
			now.DAFPercentage != 1500 {
			t.Errorf("%+v, %v", now, err)
		}
		if again := get(t, w, m.ID); !reflect.DeepEqual(again, m) {
			t.Errorf("made as %+v, read as %+v", m, again)
		}
	}
}

func TestEverythingOfANewMerchantIsKept(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := least(w, "Riverside Food Bank", "US")
	in.OrganizationID, in.Organization = nil, &merchant.NewOrganization{Name: ptr("Riverside")}
	in.Currency, in.EIN, in.Nonprofit, in.BankProcessor, in.TimeZone = ptr("usd"), ptr("04-3567500"), ptr(true),
		ptr("q"), ptr("America/Denver")
	in.PayoutSchedule, in.PayoutWeekday, in.HasWalletA, in.HasDAFProvider = ptr("weekly"), ptr(5), ptr(true), ptr(true)
	in.Domains, in.DAFPercentage, in.StatementDescriptor = []string{"give.example.org", "GIVE.example.org",
		"Bücher.example", "shop.localhost"}, ptr(money.Percent(2500)), ptr("RIVERSIDE FOOD")
	in.ExternalID, in.Metadata = ptr("branch-7"), map[string]string{"a": "b"}
	out, err := w.Merchants.Create(t.Context(), w.Actor(), in, nil)
	m := out.Object
	if err != nil {
		t.Fatal(err)
	}
	if m.Organization.ID == w.App.OrganizationID || m.Organization.Name != "Riverside" || *m.EIN != "04-3567500" ||
		!m.Nonprofit || m.BankProcessor != "q" ||
		m.TimeZone != "America/Denver" || m.PayoutSchedule != merchant.Weekly || *m.PayoutWeekday != 5 ||
		!m.HasWalletA || !m.HasDAFProvider ||
		strings.Join(m.Domains, " ") != "give.example.org xn--bcher-kva.example shop.localhost" ||
		m.DAFPercentage != 2500 ||
		m.StatementDescriptor != "RIVERSIDE FOOD" || *m.ExternalID != "branch-7" || m.Metadata["a"] != "b" {
		t.Errorf("%+v", m)
	}
	if want := (merchant.Methods{CC: true, ACH: true, WalletA: true, WalletB: true}); m.CanProcess != want {
		t.Errorf("%+v", m.CanProcess)
	}
	told, err := pg.Value[string](t.Context(), w.Pool, `SELECT object::text FROM events WHERE type = 'merchant.created'
		AND object_id = @id AND position = 1`, pg.Args{"id": merchant.ObjectID(m.ID)})
	var a, b map[string]any
	shown, _ := json.Marshal(m)
	if err != nil || json.Unmarshal([]byte(told), &a) != nil || json.Unmarshal(shown, &b) != nil ||
		!reflect.DeepEqual(a, b) {
		t.Errorf("told %s, shown %s, %v", told, shown, err)
	}
	_, err = w.Merchants.Create(t.Context(), w.Actor(), in, nil)
	if f, ok := fault.As(err); !ok || f.Code != "external_id_taken" || f.Param != "external_id" ||
		f.Detail["merchant_id"] != m.ID {
		t.Errorf("the same external_id: %v", err)
	}
	if n := count(t, w, `organizations WHERE name = 'Riverside'`, pg.Args{}); n != 1 {
		t.Errorf("%d organizations", n)
	}
	in.ExternalID = nil
	if _, err := w.Merchants.Create(t.Context(), w.ActorOf(w.Other), in, nil); err != nil {
		t.Errorf("another application's: %v", err)
	}
}

func TestCreationTellsEveryMistake(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	before := count(t, w, `merchants`, pg.Args{})
	for want, spoil := range map[string]func(*merchant.CreateInput){
		"name parameter_missing":                 func(in *merchant.CreateInput) { in.Name = nil },
		"name parameter_invalid":                 func(in *merchant.CreateInput) { in.Name = ptr(" ") },
		"name parameter_invalid ":                func(in *merchant.CreateInput) { in.Name = ptr(strings.Repeat("é", 256)) },
		"country parameter_missing":              func(in *merchant.CreateInput) { in.Country = nil },
		"country country_invalid":                func(in *merchant.CreateInput) { in.Country = ptr("us") },
		"country country_invalid ":               func(in *merchant.CreateInput) { in.Country = ptr("MX") },
		"organization parameter_missing":         func(in *merchant.CreateInput) { in.OrganizationID = nil },
		"organization_id parameter_invalid":      func(in *merchant.CreateInput) { in.OrganizationID = ptr(int64(0)) },
		"organization_id parameter_invalid ":     func(in *merchant.CreateInput) { in.OrganizationID = ptr(w.Other.OrganizationID) },
		"organization_id parameter_invalid  ":    func(in *merchant.CreateInput) { in.OrganizationID = ptr(int64(1) << 40) },
		"organization parameters_exclusive":      func(in *merchant.CreateInput) { in.Organization = &merchant.NewOrganization{Name: ptr("x")} },
		"organization.name parameter_missing":    func(in *merchant.CreateInput) { in.OrganizationID, in.Organization = nil, &merchant.NewOrganization{} },
		"currency currency_unsupported":          func(in *merchant.CreateInput) { in.Currency = ptr("USD") },
		"currency currency_unsupported ":         func(in *merchant.CreateInput) { in.Currency = ptr("cad") },
		"ein parameter_invalid":                  func(in *merchant.CreateInput) { in.EIN = ptr("043567500") },
		"ein parameter_invalid ":                 func(in *merchant.CreateInput) { in.EIN = ptr("00-3567500") },
		"ein parameter_invalid  ":                func(in *merchant.CreateInput) { in.EIN, in.Country = ptr("04-3567500"), ptr("CA") },
		"bank_processor parameter_invalid":       func(in *merchant.CreateInput) { in.BankProcessor = ptr("r") },
		"time_zone parameter_invalid":            func(in *merchant.CreateInput) { in.TimeZone = ptr("Local") },
		"time_zone parameter_invalid ":           func(in *merchant.CreateInput) { in.TimeZone = ptr("../../etc/passwd") },
		"payout_schedule parameter_invalid":      func(in *merchant.CreateInput) { in.PayoutSchedule = ptr("hourly") },
		"payout_weekday parameter_invalid":       func(in *merchant.CreateInput) { in.PayoutSchedule = ptr("weekly") },
		"payout_weekday parameter_invalid ":      func(in *merchant.CreateInput) { in.PayoutSchedule, in.PayoutWeekday = ptr("weekly"), ptr(6) },
		"payout_weekday parameter_invalid  ":     func(in *merchant.CreateInput) { in.PayoutWeekday = ptr(1) },
		"payout_day_of_month parameter_invalid":  func(in *merchant.CreateInput) { in.PayoutSchedule, in.PayoutDayOfMonth = ptr("monthly"), ptr(0) },
		"payout_day_of_month parameter_invalid ": func(in *merchant.CreateInput) { in.PayoutSchedule, in.PayoutDayOfMonth = ptr("monthly"), ptr(32) },
		"domains[1] domain_invalid":              func(in *merchant.CreateInput) { in.Domains = []string{"a.example", "https://b.example"} },
		"domains parameter_invalid": func(in *merchant.CreateInput) {
			in.Domains = strings.Split(strings.Repeat("a.example ", 100), " ")[:100]
		},
		"statement_descriptor parameter_invalid":              func(in *merchant.CreateInput) { in.StatementDescriptor = ptr("12345") },
		"statement_descriptor parameter_invalid ":             func(in *merchant.CreateInput) { in.StatementDescriptor = ptr("A*B") },
		"statement_descriptor parameter_invalid  ":            func(in *merchant.CreateInput) { in.StatementDescriptor = ptr(strings.Repeat("A", 23)) },
		"statement_descriptor parameter_invalid   ":           func(in *merchant.CreateInput) { in.StatementDescriptor = ptr("É") },
		"external_id parameter_invalid":                       func(in *merchant.CreateInput) { in.ExternalID = ptr("") },
		"metadata parameter_invalid":                          func(in *merchant.CreateInput) { in.Metadata = map[string]string{"": "x"} },
		"domains[0] domain_invalid|domains[2] domain_invalid": func(in *merchant.CreateInput) { in.Domains = []string{"*.a.example", "b.example", "1.2.3.4"} },
	} {
		in := least(w, "Riverside", "US")
		spoil(&in)
		_, err := w.Merchants.Create(t.Context(), w.Actor(), in, nil)
		if got := strings.Join(mistakes(err), "|"); got != strings.TrimSpace(want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	in := least(w, "Riverside", "US")
	in.HasDAFProvider = ptr(true)
	for range 2 { // not a nonprofit, then not in the US
		_, err := w.Merchants.Create(t.Context(), w.Actor(), in, nil)
		if f, ok := fault.As(err); !ok || f.Kind != fault.KindRefused || f.Code != "daf_not_eligible" ||
			f.Param != "has_daf_provider" {
			t.Errorf("%v", err)
		}
		in.Nonprofit, in.Country = ptr(true), ptr("CA")
	}
	if n := count(t, w, `merchants`, pg.Args{}); n != before {
		t.Errorf("%d merchants were made", n-before)
	}
}

func TestCreationHappensOncePerKey(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	claim := &idempotency.Claim{ApplicationID: w.App.AppID, Key: "k", Method: "POST", Path: "/api/merchants",
		Params: map[string]string{}, RequestID: w.Actor().RequestID}
	in := least(w, "Riverside", "US")
	in.OrganizationID, in.Organization = nil, &merchant.NewOrganization{Name: ptr("Once")}
	first, err := w.Merchants.Create(t.Context(), w.Actor(), in, claim)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.Merchants.Create(t.Context(), w.Actor(), in, claim)
	var kept merchant.Merchant
	if err != nil || again.Prior == nil || json.Unmarshal(again.Prior.Outcome.Result, &kept) != nil ||
		kept.ID != first.Object.ID || again.Prior.ObjectID != merchant.ObjectID(kept.ID) {
		t.Errorf("%+v, %v", again, err)
	}
	if n := count(t, w, `merchants m JOIN organizations o ON o.id = m.organization_id
		WHERE o.name = 'Once'`, pg.Args{}); n != 1 {
		t.Errorf("%d merchants", n)
	}
}

func TestChangesNeedTheirPermissions(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := w.App.Merchants.US
	limited := func(merchants []int64, rights ...authz.Right) authz.Actor {
		a := w.Actor()
		a.Role, a.Restriction = authz.RoleRestrictedKey, &authz.Restriction{Rights: rights, Merchants: merchants}
		return a
	}
	percent := least(w, "x", "US")
	percent.DAFPercentage = ptr(money.Percent(1))
	for name, c := range map[string]struct {
		actor authz.Actor
		code  string
		call  func(authz.Actor) error
	}{
		"a browser makes one":       {authz.Actor{Role: authz.RolePublicKey, ApplicationID: w.App.AppID}, "permission_denied", func(a authz.Actor) error { _, err := w.Merchants.Create(t.Context(), a, percent, nil); return err }},
		"fees of a new one":         {limited(nil, "merchant:write"), "permission_denied", func(a authz.Actor) error { _, err := w.Merchants.Create(t.Context(), a, percent, nil); return err }},
		"a key of one merchant":     {limited([]int64{id}, "merchant:write", "fee:write"), "permission_denied", func(a authz.Actor) error { _, err := w.Merchants.Create(t.Context(), a, percent, nil); return err }},
		"a key that may":            {limited(nil, "merchant:write", "fee:write"), "", func(a authz.Actor) error { _, err := w.Merchants.Create(t.Context(), a, percent, nil); return err }},
		"reading without the right": {limited(nil, "charge:read"), "permission_denied", func(a authz.Actor) error { _, err := w.Merchants.Get(t.Context(), a, id); return err }},
		"reading another key's":     {limited([]int64{id + 1}, "merchant:read"), "resource_missing", func(a authz.Actor) error { _, err := w.Merchants.Get(t.Context(), a, id); return err }},
		"changing another key's": {limited([]int64{id + 1}, "merchant:write"), "resource_missing",
			func(a authz.Actor) error {
				_, err := w.Merchants.Update(t.Context(), a, id, merchant.UpdateInput{}, nil)
				return err
			}},
		"another key's domains": {limited([]int64{id + 1}, "domain:read"), "resource_missing",
			func(a authz.Actor) error { _, err := w.Merchants.Domains(t.Context(), a, id); return err }},
		"looking at another key's": {limited([]int64{id + 1}, "domain:write"), "resource_missing",
			func(a authz.Actor) error {
				_, err := w.Merchants.VerifyDomains(t.Context(), a, id, merchant.VerifyInput{}, nil)
				return err
			}},
		"looking without the right": {limited(nil, "domain:read"), "permission_denied", func(a authz.Actor) error {
			_, err := w.Merchants.VerifyDomains(t.Context(), a, id, merchant.VerifyInput{}, nil)
			return err
		}},
		"domains without the right": {limited(nil, "merchant:write"), "permission_denied",
			func(a authz.Actor) error { _, err := w.Merchants.Domains(t.Context(), a, id); return err }},
	} {
		err := c.call(c.actor)
		if c.code == "" && err != nil || c.code != "" && !fault.HasCode(err, c.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p, err := w.Merchants.List(t.Context(), limited([]int64{id}, "merchant:read"), merchant.ListInput{Page: pageOf(9)})
	if err != nil || len(p.Items) != 1 || p.Items[0].ID != id {
		t.Errorf("a key of one merchant lists %+v, %v", p, err)
	}
}

// TestDescriptorsOfAnyName: what is derived can be printed, and is what a caller may give.
func TestDescriptorsOfAnyName(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for name, want := range map[string]string{
		"Riverside Food Bank & Friends of Salem": "RIVERSIDE FOOD BANK &", "straße": "STRASSE", "a*b<c>": "A B C",
		"  x  ": "X", "...Dots": "DOTS", "Œuvre №5": "OEUVRE 5",
	} {
		if m := w.Merchant(merchant.CreateInput{Name: &name}); m.StatementDescriptor != want {
			t.Errorf("%s: %q", name, m.StatementDescriptor)
		}
	}
	for _, name := range []string{"慈善", "123", "!!!"} {
		if m := w.Merchant(merchant.CreateInput{Name: &name}); m.StatementDescriptor != fmt.Sprint("MERCHANT ", m.ID) {
			t.Errorf("%s: %q", name, m.StatementDescriptor)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.RuneFrom([]rune("aZé œß*&'-.慈 7")), 1, 40,
			-1).Filter(func(s string) bool { return strings.TrimSpace(s) != "" }).Draw(t, "name")
		m := w.Merchant(merchant.CreateInput{Name: &name}) // the database checks, too
		in := merchant.CreateInput{StatementDescriptor: &m.StatementDescriptor}
		for _, f := range in.Validate() {
			if f.Param == "statement_descriptor" {
				t.Fatalf("%q becomes %q: %v", name, m.StatementDescriptor, f)
			}
		}
	})
}

func TestPrefixesOfEINs(t *testing.T) {
	t.Parallel()
	given := 0
	for prefix := range 100 {
		in := merchant.CreateInput{EIN: ptr(fmt.Sprintf("%02d-0000001", prefix))}
		wrong := false
		for _, f := range in.Validate() {
			wrong = wrong || f.Param == "ein"
		}
		if !wrong {
			given++
		}
	}
	if given != 83 {
		t.Errorf("%d prefixes are in use", given)
	}
}
