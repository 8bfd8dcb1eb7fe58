package ledger_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/testing/fixture"
)

// billed is a world with an account of the application, and a fee that its processor charged.
func billed(t *testing.T) (*fixture.World, ledger.ProcessorFee) {
	t.Helper()
	w := fixture.New(t)
	external := fmt.Sprintf("app-%d/own", w.App.AppID)
	if _, err := w.Accounts.Connect(t.Context(), w.Person(authz.RoleApplicationAdmin), accounts.ConnectInput{
		Processor: "sandbox", External: external, Serving: accounts.ServingOf([]string{"cc"}, nil, 1)}); err != nil {
		t.Fatal(err)
	}
	return w, ledger.ProcessorFee{Processor: "sandbox", External: external, ID: "txn_1", Amount: 320,
		Currency: money.USD, At: w.Clock.Now()}
}

func postFees(w *fixture.World, fees ...ledger.ProcessorFee) error {
	return pg.InTx(w.T.Context(), w.Pool, func(tx *pg.Tx) error {
		for _, f := range fees {
			ledger.PostProcessorFeeTx(tx, f, w.Clock.Now())
		}
		return nil
	})
}

func TestFeesArePostedOnceAndNeverChange(t *testing.T) {
	t.Parallel()
	w, f := billed(t)
	unknown := f
	unknown.External, unknown.ID = "elsewhere", "txn_2"
	if err := postFees(w, f, unknown, f); err != nil {
		t.Fatal(err)
	}
	f.Amount = 1 // under an ID that is posted
	if err := postFees(w, f); err != nil {
		t.Fatal(err)
	}
	got, err := pg.Value[string](t.Context(), w.Pool, `
		SELECT string_agg(concat_ws(' ', application_id, business_key, kind, debit, credit, amount), ', ')
		FROM application_entries`, pg.Args{})
	want := fmt.Sprint(w.App.AppID, " txn_1 processor_fee processor_fees processor_receivable 320")
	if err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	for _, sql := range []string{`UPDATE application_entries SET amount = 1`, `DELETE FROM application_entries`,
		`TRUNCATE application_entries`} {
		if _, err := pg.Exec(t.Context(), w.Pool, sql, pg.Args{}); err == nil ||
			!strings.Contains(err.Error(), "immutable") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for _, amount := range []money.Amount{0, -1} {
		if err := postFees(w, ledger.ProcessorFee{Processor: f.Processor, External: f.External, ID: "txn_3",
			Amount: amount, Currency: f.Currency, At: f.At}); err == nil {
			t.Errorf("a fee of %d is posted", amount)
		}
	}
}

// TestDatabaseAllowsTheKindsOfApplications inserts every combination of the words of the rules.
func TestDatabaseAllowsTheKindsOfApplications(t *testing.T) {
	t.Parallel()
	w, f := billed(t)
	kinds, names := []string{}, []string{string(ledger.MerchantAvailable)}
	for _, r := range ledger.ApplicationRules() {
		kinds = append(kinds, r.Kind)
		names = append(names, string(r.Debit))
	}
	n := 0
	for _, kind := range kinds {
		for _, debit := range names {
			for _, credit := range names {
				n++
				_, err := pg.Exec(t.Context(), w.Pool, `
					INSERT INTO application_entries (processor, business_key, application_id, processor_account, kind,
						debit, credit, amount, currency, at, created_at)
					VALUES ('sandbox', @key, @application, @external, @kind, @debit, @credit, 1, 'usd', now(), now())`,
					pg.Args{"key": fmt.Sprint(n), "application": w.App.AppID, "external": f.External, "kind": kind,
						"debit": debit, "credit": credit})
				pair := ledger.Pair{Debit: ledger.Account(debit), Credit: ledger.Account(credit)}
				if allowed := slices.Contains(ledger.ApplicationRules(),
					ledger.ApplicationRule{Kind: kind, Pair: pair}); allowed != (err == nil) {
					t.Errorf("%s from %s to %s: %v", kind, credit, debit, err)
				}
			}
		}
	}
	if n != 18 {
		t.Errorf("%d combinations", n)
	}
}

func TestFeesByMonth(t *testing.T) {
	t.Parallel()
	w, f := billed(t)
	month := time.Date(f.At.Year(), f.At.Month(), 1, 0, 0, 0, 0, time.UTC)
	second, refunded, before, older := f, f, f, f
	second.ID, second.Amount = "txn_2", 80
	refunded.ID, refunded.Refunded, refunded.Amount = "txn_3", true, 100
	before.ID, before.At = "txn_4", month.Add(-time.Second)
	older.ID, older.At = "txn_5", month.AddDate(0, -1, 0).Add(-time.Second)
	if err := postFees(w, f, second, refunded, before, older); err != nil {
		t.Fatal(err)
	}
	admin := w.Person(authz.RoleApplicationAdmin)
	got, err := w.Ledger.ProcessorFeesByMonth(t.Context(), admin, month.AddDate(0, 0, -1))
	want := []ledger.FeeMonth{
		{Month: month, Processor: "sandbox", External: f.External, Currency: money.USD, Charged: 400, Refunded: 100},
		{Month: month.AddDate(0, -1, 0), Processor: "sandbox", External: f.External, Currency: money.USD, Charged: 320},
	}
	for i := range got {
		got[i].Month = got[i].Month.UTC()
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	admin.OrganizationID = 1
	if _, err := w.Ledger.ProcessorFeesByMonth(t.Context(), admin, month); err == nil {
		t.Error("an organization sees the application's costs")
	}
	admin.OrganizationID, admin.ApplicationID = 0, w.Other.AppID
	if got, err := w.Ledger.ProcessorFeesByMonth(t.Context(), admin, month); err != nil || len(got) > 0 {
		t.Errorf("another application sees %+v, %v", got, err)
	}
}

// TestApplicationKindsDocument compares docs/ledger.md with the rules.
func TestApplicationKindsDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/ledger.md")
	want := "| kind | debit | credit |\n|---|---|---|\n"
	for _, r := range ledger.ApplicationRules() {
		want += fmt.Sprintf("| `%s` | %s | %s |\n", r.Kind, r.Debit, r.Credit)
	}
	if err != nil || !strings.Contains(string(text), want+"\n") {
		t.Errorf("docs/ledger.md must contain this table: %v\n%s", err, want)
	}
}
