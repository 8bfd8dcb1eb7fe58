package accounts_test

import (
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

func disable(t *testing.T, w *fixture.World, a accounts.Account) accounts.Account {
	t.Helper()
	a, err := w.Accounts.SetStatus(t.Context(), w.Admin(), a.ID.String(), accounts.Disabled, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// refuses has an account not removed.
func refuses(t *testing.T, w *fixture.World, a accounts.Account, code string) {
	t.Helper()
	if _, err := w.Accounts.Remove(t.Context(), w.Admin(), a.ID.String(), nil); !fault.HasCode(err, code) {
		t.Errorf("%s is removed: %v, want %s", a.External, err, code)
	}
	if _, err := w.Accounts.Get(t.Context(), w.Admin(), a.ID.String()); err != nil {
		t.Errorf("%s: %v", a.External, err)
	}
}

// An account that was connected to the wrong merchant is removed, and connected to the right one.
func TestUnusedAccountIsRemoved(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	wrong, right := w.App.Merchants.CA, w.App.Merchants.US
	in := cards(w, "own")
	in.MerchantID = &wrong
	a := connect(t, w, in)
	w.Clock.Advance(2 * time.Minute)
	refuses(t, w, a, "processor_account_active")
	a = disable(t, w, a)
	w.Clock.Advance(59 * time.Second)
	refuses(t, w, a, "processor_account_active")
	w.Clock.Advance(time.Second)
	old := a.Version - 1
	if _, err := w.Accounts.Remove(t.Context(), w.Admin(), a.ID.String(), &old); !fault.HasCode(err, "object_changed") {
		t.Errorf("of an old version: %v", err)
	}
	if _, err := w.Accounts.Remove(t.Context(), w.Person(authz.RoleSupportStaff), a.ID.String(), nil); err == nil {
		t.Error("support staff remove an account")
	}
	if removed, err := w.Accounts.Remove(t.Context(), w.Admin(), a.ID.String(), &a.Version); err != nil ||
		removed.External != a.External {
		t.Fatalf("%+v, %v", removed, err)
	}
	if _, err := w.Accounts.Get(t.Context(), w.Admin(), a.ID.String()); !fault.HasCode(err, "resource_missing") {
		t.Errorf("it is still there: %v", err)
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM audit_entries
		WHERE subject_id = @id AND outcome = 'done'
			AND before->>'external_account' = @external
				AND after::text = '{}'`, pg.Args{"id": a.ID.String(), "external": a.External}); err != nil || n != 1 {
		t.Errorf("%d entries of the audit log, %v", n, err)
	}
	in.MerchantID = &right
	connect(t, w, in)
}

// What has a payment stays: its refunds and disputes need the credentials.
func TestUsedAccountIsNotRemoved(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m := w.App.Merchants.US
	in := cards(w, "own")
	in.MerchantID = &m
	own, byDefault := connect(t, w, in), connect(t, w, cards(w, "main"))
	amount := money.Amount(1_000)
	for _, merchantID := range []int64{m, w.App.Merchants.USQ} {
		token := w.TokenIn(w.SessionOf(w.App, merchantID), "4242424242424242")
		if _, err := w.Charges.Create(t.Context(), w.Actor(),
			charge.CreateInput{MerchantID: &merchantID, Amount: &amount, Token: &token}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range []accounts.Account{own, byDefault} {
		disable(t, w, a)
	}
	w.Clock.Advance(time.Hour)
	refuses(t, w, own, "processor_account_used")
	refuses(t, w, byDefault, "processor_account_used")
}

// The deposits of a payer's bank account are confirmed where they were asked for.
func TestAccountThatVerifiesIsNotRemoved(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := cards(w, "main")
	in.Methods = []processor.Method{processor.MethodACH}
	a := connect(t, w, in)
	id := w.BankToken(w.App.Merchants.USQ, w.USBank("000123456789"))
	if n, err := w.Tokens.StartVerifications(t.Context()); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	disable(t, w, a)
	w.Clock.Advance(time.Hour)
	refuses(t, w, a, "processor_account_used")
	verified, err := w.Tokens.Verify(t.Context(), w.Actor(), id, token.VerifyInput{Amounts: []int64{32, 45}}, nil)
	if err != nil || verified.Object.Status != token.Active {
		t.Fatalf("%+v, %v", verified.Object, err)
	}
	if _, err := w.Accounts.Remove(t.Context(), w.Admin(), a.ID.String(), nil); err != nil {
		t.Errorf("after it: %v", err)
	}
}
