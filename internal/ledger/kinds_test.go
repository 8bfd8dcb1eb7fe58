package ledger_test

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/fee"
	"svcpay/internal/ledger"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
)

// triple is one thing that a posting can be.
type triple struct{ Kind, Debit, Credit string }

func order(a, b triple) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Debit, b.Debit), cmp.Compare(a.Credit, b.Credit))
}

// TestDatabaseAllowsWhatTheRulesAllow asks the function of the database's CHECK for every word that it knows or
// the rules know, in every place.
func TestDatabaseAllowsWhatTheRulesAllow(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	rules, err := pg.Value[string](t.Context(), pool,
		`SELECT pg_get_functiondef('ledger_moves'::regproc)`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	var want []triple
	words := map[string]bool{"": true}
	for _, r := range ledger.Rules() {
		for _, p := range r.Allowed() {
			want = append(want, triple{r.Kind, string(p.Debit), string(p.Credit)})
			words[r.Kind], words[string(p.Debit)], words[string(p.Credit)] = true, true, true
		}
	}
	for _, m := range regexp.MustCompile(`'([a-z_]+)'`).FindAllStringSubmatch(rules, -1) {
		words[m[1]] = true
	}
	all := []string{}
	for word := range words {
		all = append(all, word)
	}
	got, err := pg.All[triple](t.Context(), pool, `
		SELECT kind, debit, credit FROM unnest(@all::text[]) kind, unnest(@all::text[]) debit,
			unnest(@all::text[]) credit
		WHERE ledger_moves(kind, debit, credit)`, pg.Args{"all": all})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	if !slices.Equal(got, want) || len(want) < 60 {
		t.Errorf("the database allows %d: %v\nthe rules %d: %v", len(got), got, len(want), want)
	}
}

func TestEveryAllowedPairIsPosted(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var all []ledger.Posting
	for i, r := range ledger.Rules() {
		for j, pair := range r.Allowed() {
			p := posting(w, fmt.Sprint(i, ".", j))
			p.Kind, p.Debit, p.Credit = r.Kind, pair.Debit, pair.Credit
			all = append(all, p)
		}
	}
	if err := post(w, all...); err != nil || entries(t, w) != len(all) {
		t.Error(err)
	}
}

func TestEveryFeeOfAPaymentHasItsKinds(t *testing.T) {
	t.Parallel()
	kinds := map[string]ledger.Rule{}
	for _, r := range ledger.Rules() {
		kinds[r.Kind] = r
	}
	settings := reflect.TypeFor[fee.Rates]()
	for i := range settings.NumField() {
		name := settings.Field(i).Tag.Get("json")
		_, merchant := kinds[name]
		_, service := kinds[ledger.ServiceKind(name)]
		if want := name != "daf_percentage"; !merchant || service != want {
			t.Errorf("%s: a kind for the merchant %v, for the service %v", name, merchant, service)
		}
	}
	var donations int
	merchants := ledger.MerchantKinds()
	for kind, r := range kinds {
		if r.Source != ledger.FromDonation {
			continue
		}
		donations++
		if slices.Contains(merchants, kind) {
			t.Errorf("%s changes what a merchant is owed, though a donation's money never passes the service", kind)
		}
	}
	if donations != 4 || len(merchants) != len(kinds)-(settings.NumField()-1)-donations ||
		slices.Contains(merchants, "service_capture_fee") {
		t.Errorf("kinds of merchants' entries are %v", merchants)
	}
}

// TestKindsDocument compares docs/ledger.md with the rules.
func TestKindsDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/ledger.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| kind | debit | credit | comes from |\n|---|---|---|---|\n"
	for _, r := range ledger.Rules() {
		for _, p := range r.Allowed() {
			release := ""
			if !slices.Contains(r.Pairs, p) {
				release = " (release)"
			}
			want += fmt.Sprintf("| `%s`%s | %s | %s | `%s_…` |\n", r.Kind, release, p.Debit, p.Credit, r.Source)
		}
	}
	if !strings.Contains(string(text), want) {
		t.Errorf("docs/ledger.md must contain this table:\n%s", want)
	}
}

func TestMoneyOfAMerchantComesAndGoesThroughTheRules(t *testing.T) {
	t.Parallel()
	for _, r := range ledger.Rules() {
		pairs := r.Allowed()
		for _, p := range pairs {
			pending := p.Debit == ledger.MerchantPending || p.Credit == ledger.MerchantPending
			available := p.Debit == ledger.MerchantAvailable || p.Credit == ledger.MerchantAvailable
			releases := slices.DeleteFunc(slices.Clone(pairs),
				func(o ledger.Pair) bool { return slices.Contains(r.Pairs, o) })
			switch {
			case pending && available && slices.Contains(r.Pairs, p):
				t.Errorf("%s %v looks like a release", r.Kind, p)
			case pending && len(releases) != 1:
				t.Errorf("%s leaves money in merchant_pending and has %d releases", r.Kind, len(releases))
			}
		}
	}
}

func TestRulesAreACopy(t *testing.T) {
	t.Parallel()
	ledger.Rules()[0].Kind = "spoiled"
	if ledger.Rules()[0].Kind != ledger.KindCapture {
		t.Error("a caller changed the table")
	}
}
