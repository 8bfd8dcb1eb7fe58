package payout_test

import (
	"context"
	"strings"
	"testing"

	"svcpay/internal/assembly"
	"svcpay/internal/ledger"
	"svcpay/internal/payout"
	"svcpay/internal/platform/pg"
)

// A payout whose bank account cannot be read fails at once: the money is the merchant's again, payouts wait for a
// person, and an operator hears of it.
func TestPayoutToAnUnreadableAccountFailsAtOnce(t *testing.T) {
	t.Parallel()
	alarms := 0
	w := open(t, func(d *assembly.Deps) { d.Vault.Unreadable = func(context.Context) { alarms++ } })
	w.earn(t, 10_000)
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE vault_values
		SET sealed = set_byte(sealed, 20, (get_byte(sealed, 20) + 1) % 256)`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	w.next(t)
	p := w.last(t, 1)
	if p.Status != payout.Failed || p.Failure.Code != "not_submitted" ||
		!strings.Contains(p.Failure.Message, "cannot be read") || len(w.p.calls) != 0 {
		t.Errorf("%+v, %d calls", p, len(w.p.calls))
	}
	if w.owed(t, ledger.MerchantAvailable) != 10_000 || w.merchant(t).PayoutsPausedReason == nil || alarms != 1 {
		t.Errorf("%d available, paused: %v, %d alarms", w.owed(t, ledger.MerchantAvailable),
			w.merchant(t).PayoutsPausedReason, alarms)
	}
	if n := w.count(t, `audit_entries WHERE subject_kind = 'bank_account' AND outcome = 'denied'
		AND after->>'unreadable_for' = @id::text`, pg.Args{"id": p.ID.String()}); n != 1 {
		t.Errorf("%d audit entries", n)
	}
	if p.Failure.Waits() {
		t.Error("its mail says that payouts continue")
	}
	w.audit(t)
}
