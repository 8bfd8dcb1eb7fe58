package simulate_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
)

const good = "4242424242424242"

func ptr[T any](v T) *T { return &v }

func code(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Code
	}
	return fmt.Sprint(err)
}

// claim is that of a request with a key and a body.
func claim(w *fixture.World, key, body string) *idempotency.Claim {
	return &idempotency.Claim{ApplicationID: w.App.AppID, Key: key, Method: "POST", Path: "/api/sandbox/x",
		Fingerprint: sha256.Sum256([]byte(body)), Params: map[string]string{"body": body},
		RequestID: ids.NewRequest(w.Clock.Now())}
}

// create makes a charge of a token with the first application's US merchant.
func create(t *testing.T, w *fixture.World, token string, capture bool) charge.Charge {
	t.Helper()
	in := charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: ptr(money.Amount(10_000)), Token: &token}
	if !capture {
		in.Capture = &capture
	}
	out, err := w.Charges.Create(t.Context(), w.Actor(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Object
}

// debit makes a debit of a US account.
func debit(t *testing.T, w *fixture.World, number string) charge.Charge {
	t.Helper()
	return create(t, w, w.BankToken(w.App.Merchants.US, w.USBank(number)), true)
}

func get(t *testing.T, w *fixture.World, c charge.Charge) charge.Charge {
	t.Helper()
	now, err := w.Charges.Get(t.Context(), w.Actor(), c.ID.String())
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// advance moves the first application's clock.
func advance(t *testing.T, w *fixture.World, by string) simulate.Clock {
	t.Helper()
	out, err := w.Simulate.Advance(t.Context(), w.Actor(), simulate.AdvanceInput{Advance: &by}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Object
}

func hundred() *money.Amount { return ptr(money.Amount(100)) }

func execute(t *testing.T, w *fixture.World, sql string) {
	t.Helper()
	if _, err := pg.Exec(t.Context(), w.Pool, sql, pg.Args{}); err != nil {
		t.Fatal(err)
	}
}
