package charge_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"svcpay/internal/assembly"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

func exec(t *testing.T, w *fixture.World, statement string) {
	t.Helper()
	if _, err := pg.Exec(t.Context(), w.Pool, statement, pg.Args{}); err != nil {
		t.Fatal(err)
	}
}

// payers are a charge of each kind of token.
func payers(w *fixture.World) map[string]charge.CreateInput {
	return map[string]charge.CreateInput{
		"a card": input(w, good, 100),
		"a bank account": {MerchantID: &w.App.Merchants.US, Amount: ptr(money.Amount(100)),
			Token: ptr(w.BankToken(w.App.Merchants.US, w.USBank(settles)))},
	}
}

// A token whose data is gone from the vault, as when it is deleted while its charge begins, is no token: nothing is
// written and the key is free.
func TestChargeOfAShreddedTokenIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for what, in := range payers(w) {
		exec(t, w, `DELETE FROM vault_keys`)
		_, err := w.Charges.Create(t.Context(), w.Actor(), in, claimOf(w, what))
		if f, ok := fault.As(err); !ok || f.Code != "token_not_found" || f.Kind != fault.KindRefused ||
			f.Param != "token" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if n := count(t, w, `(SELECT FROM charges UNION ALL SELECT FROM processor_operations UNION ALL SELECT
		FROM idempotency_keys WHERE path = '/api/charges') written`, pg.Args{}); n != 0 {
		t.Errorf("%d rows were written", n)
	}
}

// Charges that race with the deletion of their token are made or refused; the outcome of none is unknown.
func TestChargesRaceWithTheDeletionOfTheirToken(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for range 8 {
		in := input(w, good, 100)
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				out, err := w.Charges.Create(t.Context(), w.Actor(), in, nil)
				if out.Unknown || err != nil && code(err) != "token_not_found" {
					t.Errorf("unknown: %v, %v", out.Unknown, err)
				}
			})
		}
		all.Go(func() {
			if _, err := w.Tokens.Delete(t.Context(), w.Actor(), *in.Token, token.DeleteInput{}, nil); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
	}
	audit(t, w)
}

// A charge whose token's data does not open fails at once, once, and an operator hears of it.
func TestChargeOfAnUnreadableTokenFailsAtOnce(t *testing.T) {
	t.Parallel()
	var alarms atomic.Int64
	w := fixture.New(t, func(d *assembly.Deps) { d.Vault.Unreadable = func(context.Context) { alarms.Add(1) } })
	inputs := payers(w)
	exec(t, w, `UPDATE vault_values SET sealed = set_byte(sealed, 20, (get_byte(sealed, 20) + 1) % 256)`)
	for what, in := range inputs {
		_, err := w.Charges.Create(t.Context(), w.Actor(), in, claimOf(w, what))
		f, ok := fault.As(err)
		if !ok || f.Code != "processor_error" || f.Detail["advice"] != "use_another_method" ||
			f.Detail["retryable"] != false || !strings.Contains(f.Message, "cannot be read") {
			t.Errorf("%s: %v", what, err)
		}
		if again := create(t, w, in, claimOf(w, what)); again.Prior == nil || again.Unknown {
			t.Errorf("%s: a repetition has another answer: %+v", what, again)
		}
	}
	if alarms.Load() != 2 {
		t.Errorf("%d alarms", alarms.Load())
	}
	for from, want := range map[string]int{
		`charges WHERE status = 'failed' AND failure->>'code' = 'not_submitted' AND fee_total = 0`: 2,
		`processor_operations WHERE state = 'not_submitted'`:                                       2,
		`sandbox_processor_book`: 0,
		`audit_entries a JOIN charges c ON a.after->>'unreadable_for' = 'ch_' || substr(c.processor_reference, 4)
			WHERE a.subject_kind = 'token' AND a.outcome = 'denied' AND a.actor_kind = 'key'
				AND a.permission = 'charge:create' AND a.merchant_id = c.merchant_id`: 2,
	} {
		if n := count(t, w, from, pg.Args{}); n != want {
			t.Errorf("%d, not %d: %s", n, want, from)
		}
	}
	audit(t, w)
}
