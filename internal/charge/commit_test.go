package charge_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/charge"
	"svcpay/internal/charge/rule"
	"svcpay/internal/ids"
	"svcpay/internal/operation"
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

// The amount is held and the rules are decided in a commit whose answer is lost: the charge is captured, or the hold
// voided, as if nothing had happened.
func TestChargeIsCapturedWhenTheCommitOfItsHoldWasLost(t *testing.T) {
	t.Parallel()
	for card, want := range map[string]charge.Status{good: charge.Captured, wrongCVC: charge.Failed} {
		t.Run(string(want), func(t *testing.T) {
			t.Parallel()
			w, p := newScripted(t)
			rules(t, w, rule.Settings{CVCMismatch: true})
			service, _, armed := overLossy(t, w)
			p.authorize = func(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
				answer, err := p.Processor.Authorize(ctx, a)
				armed.Store(true)
				return answer, err
			}
			out, err := service.Create(t.Context(), w.Actor(), input(w, card, 700), claimOf(w, "k"))
			if out.Unknown || armed.Load() || (err == nil) != (want == charge.Captured) {
				t.Errorf("%+v, %v", out, err)
			}
			if c := only(t, w); c.Status != want {
				t.Errorf("%s, want %s", c.Status, want)
			}
			if n := count(t, w, "processor_operations WHERE state = 'approved'", pg.Args{}); n != 2 {
				t.Errorf("%d operations", n)
			}
			audit(t, w)
		})
	}
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

// failing is a database whose first queries fail, as those after a lost connection may.
type failing struct {
	pg.Querier
	fails, asked int
}

func (f *failing) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if f.asked++; f.asked <= f.fails {
		return nil, errors.New("the connection was lost")
	}
	return f.Querier.Query(ctx, sql, args...)
}

// Many operations are found with one query, which is repeated if it fails, and for a limited time.
func TestOpenOperationsAreFoundTogether(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.authorize = func(context.Context, processor.Authorization) (processor.Answer, error) {
		return processor.Answer{}, errors.New("no answer")
	}
	var all, open []ids.Operation
	for n := range 3 {
		out, err := w.Charges.Create(t.Context(), w.Actor(), input(w, good, 700), claimOf(w, fmt.Sprint(n)))
		if err != nil || !out.Unknown {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	p.authorize = nil
	if _, err := w.Charges.Create(t.Context(), w.Actor(), input(w, good, 700), claimOf(w, "approved")); err != nil {
		t.Fatal(err)
	}
	rows, err := pg.All[struct {
		ID    ids.Operation `db:"id"`
		State string        `db:"state"`
	}](t.Context(), w.Pool, `SELECT id, state FROM processor_operations`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range rows {
		if all = append(all, o.ID); o.State == "open" {
			open = append(open, o.ID)
		}
	}
	q := &failing{Querier: w.Pool, fails: 2}
	found := operation.FindOpen(t.Context(), q, append(all, ids.NewOperation(w.Clock.Now())))
	if len(all) != 4 || len(open) != 3 || len(found) != 3 || q.asked != 3 {
		t.Errorf("%d of %d are open, found %v with %d queries", len(open), len(all), found, q.asked)
	}
	for _, id := range open {
		if !found[id] {
			t.Errorf("%s is not found", id)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if found := operation.FindOpen(ended, &failing{Querier: w.Pool, fails: 1 << 30}, all); len(found) != 0 {
		t.Errorf("found %v without an answer", found)
	}
}
