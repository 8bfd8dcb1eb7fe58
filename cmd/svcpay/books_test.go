package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// command runs a command on a world's database, as a shell would.
func command(w *fixture.World, args ...string) (status int, out, complaints string) {
	var stdout, stderr bytes.Buffer
	url := w.Pool.Config().ConnString()
	status = run(args, []string{"DATABASE_URL=" + url, "SVCPAY_ENVIRONMENT=sandbox", "SVCPAY_ADDR=unused"},
		&stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// hoursAgo goes back to a time at which the world's fees were in effect already.
func hoursAgo(t *testing.T, w *fixture.World, n int) {
	t.Helper()
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE fee_schedules SET effective_at = effective_at - interval '1 day'`,
		pg.Args{}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(-time.Duration(n) * time.Hour)
}

func execute(t *testing.T, w *fixture.World, sql string, args pg.Args) {
	t.Helper()
	if n, err := pg.Exec(t.Context(), w.Pool, sql, args); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
}

// TestReconcileCommand prints what does not agree, and says so with its exit status.
func TestReconcileCommand(t *testing.T) { // the command sets the program's log: on its own
	w := fixture.New(t)
	hoursAgo(t, w, 3)
	amount, token := money.Amount(1250), w.Token("4242424242424242")
	out, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token}, nil)
	if err != nil {
		t.Fatal(err)
	}
	status, text, complaints := command(w, "reconcile")
	if status != 0 || !strings.Contains(text, "lines 1, operations 1, postings 5") ||
		strings.Contains(text, "DIFFERENCE") || complaints != "" {
		t.Errorf("%d: %s%s", status, text, complaints)
	}
	var both bytes.Buffer
	env := []string{"DATABASE_URL=" + w.Pool.Config().ConnString(), "SVCPAY_ENVIRONMENT=sandbox",
		"SVCPAY_SANDBOX_PROCESSORS=second"}
	if status := run([]string{"reconcile"}, env, &both, &both); status != 0 ||
		!strings.Contains(both.String(), "The book of second, compared") {
		t.Errorf("%d: %s", status, &both)
	}
	execute(t, w, `
		INSERT INTO sandbox_processor_book (kind, reference, account, amount, currency, captured, approved, last4,
			test_case, answer, visible_at, account_at, created_at)
		SELECT kind, reference, account, amount, currency, captured, approved, last4, test_case, answer, visible_at,
			account_at, created_at
		FROM sandbox_processor_book`, pg.Args{})
	execute(t, w, `INSERT INTO sandbox_processor_book (kind, reference, account, amount, currency, captured, approved,
		last4, test_case, answer,
			visible_at, account_at, created_at)
		VALUES ('authorize', 'nobody', 'somebody', 7, 'usd', false, false, '', '', '{}', @now,
			@now, @now)`, pg.Args{"now": w.Clock.Now()})
	status, text, complaints = command(w, "reconcile")
	if status != exitFailed || !strings.Contains(complaints, "svcpay: open differences: 2") {
		t.Errorf("%d: %s", status, complaints)
	}
	for _, want := range []string{"Differences that appeared: 2; that went: 0.", "submitted_twice",
		out.Object.ID.String(), "authorize approved 1250 usd",
		"2 × authorize approved 1250 usd", "1 × 1250", "unknown_reference", "1 × authorize declined 7 usd", "0 × 0"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestLedgerRebuildCommand heals totals that someone changed.
func TestLedgerRebuildCommand(t *testing.T) { // the command sets the program's log: on its own
	w := fixture.New(t)
	hoursAgo(t, w, 1)
	amount, token := money.Amount(1250), w.Token("4242424242424242")
	if _, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token}, nil); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	for n := 1; n > 0; {
		var err error
		if n, err = w.Ledger.Fold(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if status, text, complaints := command(w, "ledger", "owed"); status != 0 ||
		!strings.Contains(text, "usd       1250  0\n") {
		t.Errorf("%d: %s%s", status, text, complaints)
	}
	execute(t, w, `UPDATE ledger_totals SET balance = balance + 1 WHERE account = 'processor_receivable'`, pg.Args{})
	if found, err := w.Ledger.Compare(t.Context()); err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	application := orDash(&w.App.AppID)
	if status, text, complaints := command(w, "ledger", "rebuild", "--application", application); status != 0 ||
		!strings.Contains(text, application) {
		t.Errorf("%d: %s%s", status, text, complaints)
	}
	if found, err := w.Ledger.Compare(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
	const runs = `SELECT count(*)::int FROM audit_entries WHERE application_id = @id AND actor_kind = 'command'
		AND permission = 'deployment:manage' AND subject_kind = 'ledger_totals'`
	if n, err := pg.Value[int](t.Context(), w.Pool, runs, pg.Args{"id": w.App.AppID}); err != nil || n != 1 {
		t.Errorf("%d runs are in the audit log: %v", n, err)
	}
	if status, _, complaints := command(w, "ledger", "rebuild", "--application", "999999"); status != exitFailed ||
		!strings.Contains(complaints, "no application 999999") {
		t.Errorf("%d: %s", status, complaints)
	}
	if status, _, complaints := command(w, "ledger", "rebuild"); status != exitUsage ||
		!strings.Contains(complaints, "--application") {
		t.Errorf("%d: %s", status, complaints)
	}
}

func TestCommandsNeedTheDatabaseOnly(t *testing.T) {
	t.Parallel()
	c, err := databaseConfigFrom([]string{"DATABASE_URL=x", "SVCPAY_ENVIRONMENT=sandbox", "SVCPAY_VAULT_KEY_FILE=y"})
	if err != nil || c.databaseURL != "x" || c.vaultKeyFile != "" {
		t.Errorf("%+v, %v", c, err)
	}
	_, err = databaseConfigFrom([]string{"SVCPAY_ENVIRONMENT=live", "SVCPAY_DATABASE=x"})
	for _, want := range []string{"DATABASE_URL is not set", "SVCPAY_ENVIRONMENT: not",
		"SVCPAY_DATABASE: there is no such setting"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
