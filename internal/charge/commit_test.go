package charge_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/charge"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
	"svcpay/internal/vault"
	"svcpay/policy"
)

// overLossy makes a second service over the world's database whose next commit is lost once armed.
func overLossy(t *testing.T, w *fixture.World) (*charge.Service, *pgxpool.Pool, *atomic.Bool) {
	t.Helper()
	pool, armed := pgtest.Lossy(t, w.Pool)
	check, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	return charge.New(charge.Deps{Pool: pool, Vault: vault.New(w.Keys), Processors: processor.Only(w.Processor),
		Operations: w.Operations, Check: check,
		Clock: w.Clocks}), pool, armed
}

func TestCommitWhoseAnswerIsLostIsUnknown(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	_, pool, armed := overLossy(t, w)
	armed.Store(true)
	err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE applications SET name = 'Committed'
			WHERE id = @id`, pg.Args{"id": w.App.AppID})
		return err
	})
	if !errors.Is(err, pg.ErrCommit) || armed.Load() {
		t.Errorf("%v", err)
	}
	if n := count(t, w, `applications WHERE name = 'Committed'`, pg.Args{}); n != 1 {
		t.Error("the test lost the commit itself, not only its answer")
	}
}

func TestChargeGoesOnWhenTheClaimsCommitWasLost(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	service, _, armed := overLossy(t, w)
	in := input(w, good, 12_500)
	armed.Store(true)
	out, err := service.Create(t.Context(), w.Actor(), in, claimOf(w, "k"))
	if err != nil || out.Object.Status != charge.Captured || armed.Load() {
		t.Fatalf("%+v, %v", out.Object, err)
	}
	if n := count(t, w, `sandbox_processor_book`, pg.Args{}); n != 1 {
		t.Errorf("%d submissions", n)
	}
	audit(t, w)
}

func TestFollowUpGoesOnWhenItsCommitWasLost(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	service, _, armed := overLossy(t, w)
	for want, ask := range map[charge.Status]func(id, key string) (charge.Result, error){
		charge.Captured: func(id, key string) (charge.Result, error) {
			return service.Capture(t.Context(), w.Actor(), id, charge.CaptureInput{}, claimOf(w, key))
		},
		charge.Voided: func(id, key string) (charge.Result, error) {
			return service.Void(t.Context(), w.Actor(), id, charge.VoidInput{}, claimOf(w, key))
		},
	} {
		id := authorized(t, w).ID.String()
		armed.Store(true)
		out, err := ask(id, string(want))
		if err != nil || out.Unknown || out.Object.Status != want || armed.Load() {
			t.Errorf("%+v, %v; want %s", out, err, want)
		}
		if again, err := ask(id, string(want)); err != nil || again.Prior == nil || again.Prior.State != "done" {
			t.Errorf("once more: %+v, %v", again, err)
		}
	}
	audit(t, w)
}
