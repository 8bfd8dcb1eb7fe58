package charge_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

func TestApprovalAfterGivingUpIsReversed(t *testing.T) {
	t.Parallel()
	for name, capture := range map[string]bool{"captured": true, "held": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p := newScripted(t)
			var hidden atomic.Bool
			hidden.Store(true)
			p.lookup = func(ctx context.Context, account processor.Account,
				reference string) (processor.Answer, error) {
				if hidden.Load() {
					return processor.Answer{}, processor.ErrNotFound
				}
				return p.Processor.Lookup(ctx, account, reference)
			}
			p.authorize = func(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
				answer, err := p.Processor.Authorize(ctx, a)
				w.Clock.Advance(p.SettleWindow() + time.Second)
				resolve(t, w, 1)
				return answer, err
			}
			in := input(w, good, 100)
			in.Capture = &capture
			_, err := w.Charges.Create(t.Context(), w.Actor(), in, claimOf(w, "k"))
			if code(err) != "processor_error" ||
				count(t, w, "charges WHERE status = 'failed' AND amount_captured = 0", pg.Args{}) != 1 {
				t.Fatalf("%v", err)
			}
			hidden.Store(false)
			w.Clock.Advance(2 * time.Minute)
			found, err := pg.One[operation.Operation](t.Context(), w.Pool, `SELECT id, application_id, merchant_id,
				charge_id, subject_id, kind,
				processor, processor_account, reference, amount, currency, state, note, idempotency_key, request_id,
					source, created_at FROM processor_operations`, pg.Args{})
			if err != nil {
				t.Fatal(err)
			}
			answer, err := p.Processor.Lookup(t.Context(), found.Account(), found.Reference)
			if err != nil {
				t.Fatal(err)
			}
			var twice sync.WaitGroup // two binaries hold the same news
			for range 2 {
				twice.Go(func() {
					if err := w.Charges.Late(t.Context(),
						[]operation.Outcome{{Operation: found, Answer: &answer}}); err != nil {
						t.Error(err)
					}
				})
			}
			twice.Wait()
			resolve(t, w, 0)
			w.Clock.Advance(24 * time.Hour)
			resolve(t, w, 0)
			kind := map[bool]string{true: "refund", false: "void"}[capture]
			if n := count(t, w, "sandbox_processor_book WHERE kind = @kind AND amount = 100",
				pg.Args{"kind": kind}); n != 1 {
				t.Errorf("%d reversals by %s", n, kind)
			}
			if n := count(t, w, "ledger_entries", pg.Args{}); n != 0 {
				t.Errorf("%d postings of money that was never the merchant's", n)
			}
			id, err := pg.Value[ids.Charge](t.Context(), w.Pool, "SELECT id FROM charges", pg.Args{})
			if err != nil {
				t.Fatal(err)
			}
			if c := get(t, w, id); c.Status != charge.Failed || c.Version != 3 ||
				!strings.Contains(c.Failure.Message, "reversed") {
				t.Errorf("%s", jsonOf(t, c))
			}
		})
	}
}

// A capture that turns up when its charge has expired is returned, and the charge reports it.
func TestLateCaptureThatFitsNoMoreIsTold(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c := held(t, w, 1000)
	w.Charges.CallWith(losing{p, true})
	w.Clock.Advance(7*24*time.Hour - time.Minute)
	if _, err := w.Charges.Capture(t.Context(), w.Actor(), c.ID.String(),
		charge.CaptureInput{Amount: ptr(money.Amount(600))}, nil); err != nil {
		t.Fatal(err)
	}
	p.lookup = func(context.Context, processor.Account, string) (processor.Answer, error) {
		return processor.Answer{}, processor.ErrNotFound
	}
	w.Clock.Advance(p.SettleWindow() + time.Second)
	resolve(t, w, 1)
	w.Clock.Advance(time.Minute)
	step(t, w)
	expired := get(t, w, c.ID)
	p.lookup = nil
	w.Clock.Advance(time.Minute)
	resolve(t, w, 1)
	got := get(t, w, c.ID)
	if expired.Status != charge.Expired || got.Status != charge.Expired || got.Version != expired.Version+1 ||
		got.AmountCaptured != 0 {
		t.Errorf("%s\nwas %s", jsonOf(t, got), jsonOf(t, expired))
	}
	if n := count(t, w, "sandbox_processor_book WHERE kind = 'refund' AND amount = 600", pg.Args{}); n != 1 {
		t.Errorf("%d reversals", n)
	}
	if n := count(t, w, "events WHERE object_id = @id AND type = 'charge.updated' AND source = 'job'",
		pg.Args{"id": c.ID}); n != 1 {
		t.Errorf("%d events tell of it", n)
	}
	audit(t, w)
}

func TestCallThatNeverArrivesIsWatchedForADay(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.authorize = p.refuse
	create(t, w, input(w, good, 100), nil)
	w.Clock.Advance(p.SettleWindow() + time.Second)
	resolve(t, w, 1)
	looked := 0
	for range 25 {
		w.Clock.Advance(time.Hour)
		n, err := w.Operations.Resolve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		looked += n
	}
	if looked < 10 || count(t, w, "processor_operations WHERE next_check_at IS NOT NULL", pg.Args{}) != 0 {
		t.Errorf("looked %d times", looked)
	}
	audit(t, w)
}

// Whom we wait for comes before what was given up, however much of that there is.
func TestOpenCallsAreAskedAboutFirst(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.authorize = p.refuse
	create(t, w, input(w, good, 100), nil)
	w.Clock.Advance(p.SettleWindow() + time.Second)
	resolve(t, w, 1)
	if _, err := pg.Exec(t.Context(), w.Pool, `
		INSERT INTO processor_operations (id, application_id, merchant_id, charge_id, subject_id, kind, processor,
			reference, amount, currency, state, source, next_check_at, created_at, finished_at)
		SELECT gen_random_uuid(), application_id, merchant_id, charge_id, subject_id, kind, processor, 'lost ' || n,
			amount, currency, state, source, next_check_at, created_at, finished_at
		FROM processor_operations, generate_series(1, 200) n`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(2 * time.Minute)
	p.authorize = p.lose
	create(t, w, input(w, good, 200), nil)
	w.Clock.Advance(2 * time.Second)
	if n, err := w.Operations.Resolve(t.Context()); err != nil || n != 64 {
		t.Errorf("%d were asked about, %v", n, err)
	}
	if n := count(t, w, "charges WHERE amount = 200 AND status = 'captured'", pg.Args{}); n != 1 {
		t.Errorf("the open call waits behind what was given up")
	}
}
