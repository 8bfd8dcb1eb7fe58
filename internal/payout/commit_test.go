package payout_test

import (
	"testing"

	"svcpay/internal/payout"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/pgtest"
	"svcpay/policy"
)

// A payout is sent although the answer to the commit of its claim was lost. Otherwise the merchant would wait a day.
func TestPayoutGoesOnWhenTheClaimsCommitWasLost(t *testing.T) {
	t.Parallel()
	w := open(t)
	check, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	pool, armed := pgtest.Lossy(t, w.Pool)
	service := payout.New(payout.Deps{Pool: pool, Merchants: w.Merchants, Tokens: w.Tokens,
		Processors: processor.Only(w.Processor), Operations: w.Operations, Check: check, Clock: w.Clocks})
	w.earn(t, 10_000)
	w.Clock.Advance(max(0, w.merchant(t).NextPayoutAt.Sub(w.Clock.Now())))
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE merchants SET next_payout_at = next_payout_at + interval '1 month'
		WHERE id <> @id`, pg.Args{"id": w.us}); err != nil {
		t.Fatal(err)
	}
	views, err := w.Clocks.Views(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	armed.Store(true)
	for _, v := range views {
		if _, err := service.Run(t.Context(), v); err != nil {
			t.Error(err)
		}
	}
	p := w.last(t, 1)
	if p.Status != payout.Processing || armed.Load() || len(w.p.calls) != 1 ||
		w.p.calls[0].Reference != p.Processor.Reference {
		t.Errorf("%+v, %d calls", p, len(w.p.calls))
	}
	if n := w.count(t, `processor_operations WHERE kind = 'payout' AND state = 'approved'`, nil); n != 1 {
		t.Errorf("%d approved", n)
	}
	w.audit(t)
}
