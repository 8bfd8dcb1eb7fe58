package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/reconcile"
	"svcpay/internal/refund"
	"svcpay/internal/testing/fixture"
)

// Numbers of the sandbox.
const (
	good       = "4242424242424242"
	declined   = "4000000000009995"
	disputed   = "4000000000000259"
	asked      = "4000000000001976"
	settles    = "000123456789"
	failing    = "000222222227"
	answerLost = "4000000000005423"
	returned   = "000333333335"
	refused    = "000555555559"
)

// fate is what a test has become of a call.
type fate int

const (
	arrives fate = iota
	loses        // the call arrives, its answer does not
	drops        // the call does not arrive
	delays       // the call arrives when deliver is called
)

var errLost = errors.New("the connection was lost")

// scripted is the sandbox's processor behind a bad line.
type scripted struct {
	*sandbox.Processor
	mu   sync.Mutex
	fate fate
	mute bool // look-ups get no answer
	late []func(context.Context) error
	book func(ctx context.Context, after int64, limit int) ([]processor.BookLine, error)
}

func (p *scripted) play(ctx context.Context, call func(context.Context) (processor.Answer, error)) (processor.Answer,
	error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.fate {
	case arrives:
		return call(ctx)
	case loses:
		_, err := call(ctx)
		return processor.Answer{}, errors.Join(errLost, err)
	case delays:
		p.late = append(p.late, func(ctx context.Context) error { _, err := call(ctx); return err })
	}
	return processor.Answer{}, errLost
}

func (p *scripted) deliver(t fatal, ctx context.Context) {
	t.Helper()
	for _, arrive := range p.late {
		must(t, arrive(ctx))
	}
	p.late = nil
}

func (p *scripted) Authorize(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	return p.play(ctx, func(ctx context.Context) (processor.Answer, error) { return p.Processor.Authorize(ctx, a) })
}

func (p *scripted) Debit(ctx context.Context, d processor.Debit) (processor.Answer, error) {
	return p.play(ctx, func(ctx context.Context) (processor.Answer, error) { return p.Processor.Debit(ctx, d) })
}

func (p *scripted) Capture(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.play(ctx, func(ctx context.Context) (processor.Answer, error) { return p.Processor.Capture(ctx, f) })
}

func (p *scripted) Void(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.play(ctx, func(ctx context.Context) (processor.Answer, error) { return p.Processor.Void(ctx, f) })
}

func (p *scripted) Refund(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.play(ctx, func(ctx context.Context) (processor.Answer, error) { return p.Processor.Refund(ctx, f) })
}

func (p *scripted) Payout(ctx context.Context, out processor.Payout) (processor.Answer, error) {
	return p.play(ctx, func(ctx context.Context) (processor.Answer, error) { return p.Processor.Payout(ctx, out) })
}

func (p *scripted) Lookup(ctx context.Context, account processor.Account, reference string) (processor.Answer, error) {
	if p.mute {
		return processor.Answer{}, errLost
	}
	return p.Processor.Lookup(ctx, account, reference)
}

func (p *scripted) Book(ctx context.Context, after int64, limit int) ([]processor.BookLine, error) {
	if p.book != nil {
		return p.book(ctx, after, limit)
	}
	return p.Processor.Book(ctx, after, limit)
}

// place is a world whose processor a test plays with.
type place struct {
	*fixture.World
	p *scripted
}

func open(t *testing.T) place {
	t.Helper()
	p := &scripted{}
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		p.Processor = inner
		return p
	})
	return place{w, p}
}

// another is a service as another binary has it.
func (w place) another(batch int) *reconcile.Service {
	s := reconcile.Of(w.Pool, processor.Only(w.p), w.Clock.Now)[0]
	s.SetBatch(batch)
	return s
}

// fatal is what tests and properties have in common.
type fatal interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func must(t fatal, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w place) exec(t fatal, sql string, args pg.Args) {
	t.Helper()
	n, err := pg.Exec(w.T.Context(), w.Pool, sql, args)
	if err != nil || n == 0 {
		t.Fatalf("%s changes %d rows: %v", sql, n, err)
	}
}

// tamper changes the ledger, which no one may.
func (w place) tamper(t fatal, sql string, args pg.Args) {
	t.Helper()
	must(t, pg.InTx(w.T.Context(), w.Pool, func(tx *pg.Tx) error {
		if _, err := tx.Exec(w.T.Context(), `ALTER TABLE ledger_entries DISABLE TRIGGER USER`, pg.Args{}); err != nil {
			return err
		}
		n, err := tx.Exec(w.T.Context(), sql, args)
		if err == nil && n == 0 {
			err = fmt.Errorf("%s changes nothing", sql)
		}
		tx.Later(`ALTER TABLE ledger_entries ENABLE TRIGGER USER`, pg.Args{})
		return err
	}))
}

func (w place) count(t fatal, from string, args pg.Args) int {
	t.Helper()
	n, err := pg.Value[int](w.T.Context(), w.Pool, `SELECT count(*)::int FROM `+from, args)
	must(t, err)
	return n
}

// charge makes a charge of a token; the fault of a refusal is no error.
func (w place) charge(t fatal, token string, amount money.Amount, capture bool) charge.Charge {
	t.Helper()
	out, err := w.Charges.Create(w.T.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount,
			Token: &token, Capture: &capture}, nil)
	if _, ok := fault.As(err); !ok {
		must(t, err)
	}
	return out.Object
}

func (w place) refund(t fatal, c charge.Charge, amount money.Amount) refund.Refund {
	t.Helper()
	id := c.ID.String()
	out, err := w.Refunds.Create(w.T.Context(), w.Actor(), refund.CreateInput{ChargeID: &id, Amount: &amount}, nil)
	if _, ok := fault.As(err); !ok {
		must(t, err)
	}
	return out.Object
}

// settle has everything done that is due.
func (w place) settle(t fatal) {
	t.Helper()
	for range 3 {
		for n := 1; n > 0; {
			var err error
			n, err = w.Operations.Resolve(w.T.Context())
			must(t, err)
		}
		w.sweep(t)
	}
}

// sweep has everything done that becomes due by time.
func (w place) sweep(t fatal) {
	t.Helper()
	for _, s := range w.Sweeps() {
		for more := true; more; {
			var err error
			more, err = w.Clocks.RunAll(w.T.Context(), s)
			must(t, err)
		}
	}
}

// now reconciles everything that is older than two hours by then.
func (w place) now(t fatal) reconcile.Run {
	t.Helper()
	w.Clock.Advance(2 * time.Hour)
	r, err := w.Reconcile[0].RunNow(w.T.Context())
	must(t, err)
	return r
}

// open lists the open differences: kind and reference.
func (w place) open(t fatal) []string {
	t.Helper()
	all, err := w.Reconcile[0].Open(w.T.Context())
	must(t, err)
	out := []string{}
	for _, d := range all {
		out = append(out, string(d.Kind)+" "+d.Reference)
	}
	slices.Sort(out)
	return out
}

// expect compares the open differences with those wanted.
func (w place) expect(t fatal, when string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := w.open(t); !slices.Equal(got, append([]string{}, want...)) {
		t.Fatalf("%s:\ngot  %s\nwant %s", when, strings.Join(got, ", "), strings.Join(want, ", "))
	}
}

// disputeOf is the dispute of a charge.
func disputeOf(w place, c charge.Charge) dispute.Dispute {
	w.T.Helper()
	all, err := w.Disputes.List(w.T.Context(), w.Actor(), dispute.ListInput{Page: page.Input[ids.Dispute]{Limit: 9}})
	must(w.T, err)
	for _, d := range all.Items {
		if d.ChargeID == c.ID {
			return d
		}
	}
	w.T.Fatalf("%s is not disputed", c.ID)
	return dispute.Dispute{}
}
