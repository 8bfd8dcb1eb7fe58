package payout_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/payout"
	"svcpay/internal/pg"
	"svcpay/internal/pgtest"
	"svcpay/internal/processor"
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
		SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'payouts'::regclass AND conname = 'payouts_status_check'`, pg.Args{})
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

func TestChargesKnowTheirPayout(t *testing.T) {
	t.Parallel()
	w := open(t)
	first, second := w.earn(t, 100), w.earn(t, 200)
	w.next(t)
	p := w.last(t, 1)
	third := w.earn(t, 300)
	of := func(application int64) map[ids.Charge]ids.Payout {
		t.Helper()
		out, err := payout.PayoutOfCharges(t.Context(), w.Pool, application, []ids.Charge{first, third, second, ids.NewCharge(w.Clock.Now())})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if got := of(w.App.AppID); !maps.Equal(got, map[ids.Charge]ids.Payout{first: p.ID, second: p.ID}) {
		t.Errorf("%v", got)
	}
	if got := of(w.Other.AppID); len(got) != 0 {
		t.Errorf("another application: %v", got)
	}
	if err := w.Payouts.Failed(t.Context(), tell(p, processor.PayoutFailed, "R01")); err != nil {
		t.Fatal(err)
	}
	if got := of(w.App.AppID); len(got) != 0 {
		t.Errorf("in a payout that failed: %v", got)
	}
}
