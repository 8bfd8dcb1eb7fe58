package totals_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
	"svcpay/migrations"
)

// TestTotalsOfWholeReturnsAreMadeAnew: before an upgrade they left out what was refunded of a debit that came back.
func TestTotalsOfWholeReturnsAreMadeAnew(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c, back := debit(t, w, 10_000), money.Amount(4_000)
	_, settled := w.Simulate.Charge(t.Context(), w.Actor(), c.ID.String(),
		simulate.ChargeInput{Outcome: ptr("settled")}, nil)
	_, refunded := w.Refunds.Create(t.Context(), w.Actor(),
		refund.CreateInput{ChargeID: ptr(c.ID.String()), Amount: &back}, nil)
	_, returned := w.Simulate.Charge(t.Context(), w.Actor(), c.ID.String(),
		simulate.ChargeInput{Outcome: ptr("returned"), ReturnCode: ptr("R10")}, nil)
	if err := errors.Join(settled, refunded, returned); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	drain(t, w)
	execute(t, w, `UPDATE charge_totals SET returned = returned - 4000`)
	if mistaken := of(t, w).Returned; mistaken != 6_000 {
		t.Fatalf("totals are not read: %d", mistaken)
	}
	upgrade, err := migrations.FS.ReadFile("00044_whole_amounts.sql")
	if err != nil {
		t.Fatal(err)
	}
	if err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		for _, sql := range strings.Split(strings.TrimSpace(string(upgrade)), ";\n") {
			if _, err := tx.Exec(t.Context(), sql, pg.Args{}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	drain(t, w)
	if told := of(t, w).Returned; told != 10_000 {
		t.Errorf("%d came back", told)
	}
}
