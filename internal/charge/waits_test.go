package charge_test

import (
	"sync"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// A capture that waits for the charge's lock names the payment by the id that the processor gave in the meantime.
func TestPaymentIDIsReadAfterTheLock(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := input(w, good, 100)
	in.Capture = new(bool)
	c := create(t, w, in, nil).Object
	var waits sync.WaitGroup
	var got charge.Locked
	var failed error
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		if _, err := w.Charges.LockTx(t.Context(), tx, c.ApplicationID, c.ID); err != nil {
			return err
		}
		waits.Go(func() {
			failed = pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) (err error) {
				got, err = w.Charges.LockTx(t.Context(), tx, c.ApplicationID, c.ID)
				return err
			})
		})
		for count(t, w, `pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
			pg.Args{}) == 0 {
			time.Sleep(time.Millisecond)
		}
		_, err := tx.Exec(t.Context(), `UPDATE processor_operations SET external_id = 'new'
			WHERE charge_id = @id`, pg.Args{"id": c.ID})
		return err
	})
	if waits.Wait(); err != nil || failed != nil || got.PaymentID == nil || *got.PaymentID != "new" {
		t.Errorf("%v, %v, %v", err, failed, got.PaymentID)
	}
}
