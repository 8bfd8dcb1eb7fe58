package refund_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
	"svcpay/policy"
)

// overLossy makes a second service over the world's database whose next commit is lost once armed.
func overLossy(t *testing.T, w *fixture.World) (*refund.Service, *atomic.Bool) {
	t.Helper()
	pool, armed := pgtest.Lossy(t, w.Pool)
	return over(t, w, pool), armed
}

// over makes a second service, as another server has it, over a pool of the world's database.
func over(t *testing.T, w *fixture.World, pool *pgxpool.Pool) *refund.Service {
	t.Helper()
	check, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	return refund.New(refund.Deps{Pool: pool, Charges: w.Charges, Processors: processor.Only(w.Processor),
		Operations: w.Operations, Check: check,
		Clock: w.Clocks})
}

func TestRefundGoesOnWhenTheClaimsCommitWasLost(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	service, armed := overLossy(t, w)
	for want, c := range map[refund.Status]string{refund.Succeeded: captured(t, w, 100).ID.String(),
		refund.Pending: debited(t, w, 100).ID.String()} {
		armed.Store(true)
		out, err := service.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &c}, claimOf(w, c))
		if err != nil || out.Object.Status != want || armed.Load() {
			t.Errorf("%+v, %v; want %s", out.Object, err, want)
		}
	}
	if n := count(t, w, "refunds", pg.Args{}); n != 2 || len(p.calls) != 1 {
		t.Errorf("%d refunds, %d calls", n, len(p.calls))
	}
	audit(t, w)
}

func TestOutcomeWhoseCommitWasLostIsFoundOut(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	service, armed := overLossy(t, w)
	c, claim := captured(t, w, 100), claimOf(w, "k")
	p.refund = func(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
		armed.Store(true)
		return p.Processor.Refund(ctx, f)
	}
	out, err := service.Create(t.Context(), w.Actor(), of(c, 0), claim)
	if err != nil || !out.Unknown || out.Object.Status != refund.Pending || armed.Load() {
		t.Errorf("%+v, %v", out, err)
	}
	if again := create(t, w, of(c, 0), claim); again.Prior == nil || again.Prior.State != "done" {
		t.Errorf("%+v", again)
	}
	if r := get(t, w, out.Object.ID); r.Status != refund.Succeeded || r.Version != 2 || len(p.calls) != 1 {
		t.Errorf("%s", jsonOf(t, r))
	}
	audit(t, w)
}
