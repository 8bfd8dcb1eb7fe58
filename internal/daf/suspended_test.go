package daf_test

import (
	"testing"
	"time"

	"svcpay/internal/daf"
	"svcpay/internal/platform/pg"
)

// A merchant that stops taking donations while one is on its way to being made sends no grant any more.
func TestMerchantIsJudgedAsItIsWhenTheDonationIsMade(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		`UPDATE merchants SET status = 'suspended' WHERE id = @id`:     "merchant_not_active",
		`UPDATE merchants SET has_daf_provider = false WHERE id = @id`: "daf_not_enabled",
	} {
		w := newWorld(t)
		in := w.input(daf.Integrated, 500)
		err := make(chan error)
		changed := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
			// The authorization is held, too: without the merchant's lock, a donation gets as far as that.
			if _, err := tx.Exec(t.Context(), `SELECT secret_hash FROM daf_workflows FOR UPDATE`,
				pg.Args{}); err != nil {
				return err
			}
			if _, err := tx.Exec(t.Context(), change, pg.Args{"id": w.App.Merchants.US}); err != nil {
				return err
			}
			go func() {
				_, refused := w.DAF.Create(t.Context(), w.Actor(), in, w.claim("k"))
				err <- refused
			}()
			for w.count(`pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 0 {
				time.Sleep(time.Millisecond)
			}
			return nil
		})
		if changed != nil {
			t.Fatal(changed)
		}
		if refused := <-err; code(refused) != want {
			t.Errorf("%v, want %s", refused, want)
		}
		if len(w.p.calls) != 0 || w.count(`daf_donations`)+w.count(`idempotency_keys`) != 0 {
			t.Errorf("%d grants, %d donations, %d keys", len(w.p.calls), w.count(`daf_donations`),
				w.count(`idempotency_keys`))
		}
	}
}
