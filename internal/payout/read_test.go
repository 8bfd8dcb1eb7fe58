package payout_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/pgtest"
)

// TestDocument compares docs/payouts.md with the moves that the code allows.
func TestDocument(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	want.WriteString("| from | to | event |\n|---|---|---|\n")
	for _, m := range payout.Moves() {
		from := "–"
		if m.From != "" {
			from = "`" + string(m.From) + "`"
		}
		fmt.Fprintf(&want, "| %s | `%s` | `%s` |\n", from, m.To, m.Event)
	}
	text, err := os.ReadFile("../../docs/payouts.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/payouts.md must contain this table:\n%s", want.String())
	}
	for _, deposit := range payout.SandboxDeposits {
		if !strings.Contains(string(text), fmt.Sprintf("`%d`", deposit)) {
			t.Errorf("docs/payouts.md does not tell the sandbox's deposit of %d", deposit)
		}
	}
}

func TestMovesAndDatabaseKnowTheSameStatuses(t *testing.T) {
	t.Parallel()
	text, err := pg.Value[string](t.Context(), pgtest.New(t), `
		SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'payouts'::regclass
			AND conname = 'payouts_status_check'`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	var inDatabase []string
	for _, m := range regexp.MustCompile(`'(\w+)'`).FindAllStringSubmatch(text, -1) {
		inDatabase = append(inDatabase, m[1])
	}
	inCode := payout.Statuses()
	slices.Sort(inDatabase)
	slices.Sort(inCode)
	if !slices.Equal(inDatabase, inCode) {
		t.Errorf("the database has %v, the code %v", inDatabase, inCode)
	}
}

func TestPayoutsAreSeenByTheirApplicationAlone(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.earn(t, 100)
	w.next(t)
	p := w.last(t, 1)
	for name, c := range map[string]struct {
		actor authz.Actor
		id    string
		code  string
	}{
		"another application":  {w.ActorOf(w.Other), p.ID.String(), "resource_missing"},
		"an unknown one":       {w.Actor(), ids.NewPayout(w.Clock.Now()).String(), "resource_missing"},
		"another kind of id":   {w.Actor(), ids.NewCharge(w.Clock.Now()).String(), "resource_missing"},
		"no id":                {w.Actor(), "", "resource_missing"},
		"without a permission": {authz.Actor{Role: authz.RolePublicKey, ApplicationID: w.App.AppID}, p.ID.String(), "permission_denied"},
	} {
		if got, err := w.Payouts.Get(t.Context(), c.actor, c.id); !fault.HasCode(err, c.code) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestEntriesAreThePayout(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := w.earn(t, 100)
	w.lose(t, 30)
	w.earn(t, 7)
	w.next(t)
	p := w.last(t, 1)
	w.earn(t, 1_000)
	var all []payout.Entry
	in := page.Input[ids.Entry]{Limit: 2, Ascending: true}
	for {
		got, err := w.Payouts.Entries(t.Context(), w.Actor(), p.ID.String(), in)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, got.Items...)
		if !got.HasMore {
			break
		}
		in.After = got.Items[len(got.Items)-1].ID
	}
	amounts := map[money.Amount]payout.Entry{}
	for _, e := range all {
		amounts[e.Amount] = e
		if e.Object != "payout_entry" || e.Payout != p.ID || e.Currency != money.USD || e.MerchantID != w.us ||
			e.ExternalID != nil {
			t.Errorf("%+v", e)
		}
	}
	if len(all) != 3 || amounts[100].Kind != "capture" || *amounts[100].ChargeID != first ||
		amounts[-30].Kind != "refund" || amounts[7].ID.IsZero() {
		t.Errorf("%+v", all)
	}
	newest, err := w.Payouts.Entries(t.Context(), w.Actor(), p.ID.String(), page.Input[ids.Entry]{Limit: 3})
	slices.Reverse(newest.Items)
	if err != nil || newest.HasMore ||
		!slices.EqualFunc(newest.Items, all, func(a, b payout.Entry) bool { return a.ID == b.ID }) {
		t.Errorf("%+v, %v", newest, err)
	}
	if _, err := w.Payouts.Entries(t.Context(), w.ActorOf(w.Other), p.ID.String(), in); !fault.HasCode(err,
		"resource_missing") {
		t.Errorf("another application: %v", err)
	}
}

func TestListSelects(t *testing.T) {
	t.Parallel()
	w := open(t)
	for range 3 {
		w.earn(t, 100)
		w.next(t)
	}
	all := w.payouts(t)
	if err := w.Payouts.Paid(t.Context(), tell(all[1], processor.PayoutPaid, "")); err != nil {
		t.Fatal(err)
	}
	from := all[1].CreatedAt.Time
	for name, c := range map[string]struct {
		in   payout.ListInput
		want []ids.Payout
	}{
		"all, newest first": {payout.ListInput{}, []ids.Payout{all[2].ID, all[1].ID, all[0].ID}},
		"from a time":       {payout.ListInput{Created: page.Times{From: &from}}, []ids.Payout{all[2].ID, all[1].ID}},
		"until a time":      {payout.ListInput{Created: page.Times{Until: &from}}, []ids.Payout{all[0].ID}},
		"paid":              {payout.ListInput{Statuses: []string{"paid"}}, []ids.Payout{all[1].ID}},
		"of the merchant":   {payout.ListInput{Merchants: []int64{w.us, 7}}, []ids.Payout{all[2].ID, all[1].ID, all[0].ID}},
		"of another":        {payout.ListInput{Merchants: []int64{w.App.Merchants.CA}}, nil},
		"after one":         {payout.ListInput{Page: page.Input[ids.Payout]{After: all[1].ID}}, []ids.Payout{all[0].ID}},
		"before one":        {payout.ListInput{Page: page.Input[ids.Payout]{Before: all[1].ID}}, []ids.Payout{all[2].ID}},
		"oldest first":      {payout.ListInput{Page: page.Input[ids.Payout]{Ascending: true}}, []ids.Payout{all[0].ID, all[1].ID, all[2].ID}},
	} {
		c.in.Page.Limit = 10
		got, err := w.Payouts.List(t.Context(), w.Actor(), c.in)
		var is []ids.Payout
		for _, p := range got.Items {
			is = append(is, p.ID)
			if p.Object != "payout" {
				t.Errorf("%+v", p)
			}
		}
		if err != nil || got.HasMore || !slices.Equal(is, c.want) {
			t.Errorf("%s: %v, %v; want %v", name, is, err, c.want)
		}
	}
	if got, err := w.Payouts.List(t.Context(), w.ActorOf(w.Other),
		payout.ListInput{Page: page.Input[ids.Payout]{Limit: 10}}); err != nil || len(got.Items) != 0 {
		t.Errorf("another application: %v, %v", got, err)
	}
	if _, err := w.Payouts.List(t.Context(), authz.Actor{}, payout.ListInput{}); !fault.HasCode(err,
		"permission_denied") {
		t.Errorf("nobody: %v", err)
	}
}
