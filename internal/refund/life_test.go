package refund_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
)

// fates are what the processor may do with a refund.
func (p *scripted) fates() map[string]play {
	return map[string]play{"approve": nil, "decline": p.decline, "lose": p.lose, "loseDecline": p.loseDecline,
		"drop": p.drop, "delay": p.delay}
}

// allowed are the faults that any request about a refund may meet here.
var allowed = []string{
	"refund_exceeds_remaining", "charge_not_refundable", "charge_disputed", "refund_not_cancelable",
	"idempotency_key_in_use", "overloaded", "resource_missing", "operation_in_progress", "charge_not_voidable",
	"simulation_not_possible",
}

// unexpected is an error that no request should get.
func unexpected(err error) bool {
	return err != nil && !slices.Contains(allowed, code(err)) && !pg.IsUnavailable(err)
}

// life is what happens to one charge.
type life struct {
	w      *fixture.World
	p      *scripted
	charge charge.Charge
	mu     sync.Mutex
	keys   map[string]refund.CreateInput
	made   []ids.Refund
}

func (l *life) create(ctx context.Context, in refund.CreateInput, key string) error {
	l.mu.Lock()
	l.keys[key] = in
	l.mu.Unlock()
	out, err := l.w.Refunds.Create(ctx, l.w.Actor(), in, claimOf(l.w, key))
	if err == nil && out.Prior == nil {
		l.mu.Lock()
		l.made = append(l.made, out.Object.ID)
		l.mu.Unlock()
	}
	return err
}

// retry repeats an earlier request.
func (l *life) retry(ctx context.Context, pick int) error {
	l.mu.Lock()
	var keys []string
	for k := range l.keys {
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		l.mu.Unlock()
		return nil
	}
	slices.Sort(keys)
	key := keys[pick%len(keys)]
	in := l.keys[key]
	l.mu.Unlock()
	return l.create(ctx, in, key)
}

func (l *life) cancel(ctx context.Context, pick int) error {
	l.mu.Lock()
	id := "re_"
	if len(l.made) > 0 {
		id = l.made[pick%len(l.made)].String()
	}
	l.mu.Unlock()
	_, err := l.w.Refunds.Cancel(ctx, l.w.Actor(), id, nil)
	return err
}

// dispute disputes a part of what could be refunded.
func (l *life) dispute(ctx context.Context, amount money.Amount) error {
	m, err := l.w.Clocks.Moment(ctx, l.w.App.AppID)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, l.w.Pool, func(tx *pg.Tx) error {
		locked, err := l.w.Charges.LockTx(ctx, tx, l.w.App.AppID, l.charge.ID)
		if err != nil {
			return err
		}
		if locked, err = l.w.Refunds.CancelUnsentTx(ctx, tx, m, locked); err != nil {
			return err
		}
		_, err = l.w.Charges.ChangeTx(tx, m, locked,
			charge.Change{Disputed: min(amount, locked.AmountRefundable), Event: "charge.updated", Source: outbox.Job})
		return err
	})
}

// fail has a refund fail at the processor, once its answer is known; what is reported before is handled later.
func (l *life) fail(ctx context.Context, pick int) error {
	l.mu.Lock()
	id := ids.NewRefund(l.w.Clock.Now()).String()
	if len(l.made) > 0 {
		id = l.made[pick%len(l.made)].String()
	}
	l.mu.Unlock()
	_, err := l.w.Simulate.Refund(ctx, l.w.Actor(), id, simulate.RefundInput{Outcome: ptr("failed")}, nil)
	return err
}

func (l *life) hear(ctx context.Context) error {
	_, err := l.w.Inbound.Run(ctx)
	return err
}

func (l *life) settle(ctx context.Context) error {
	return l.w.Charges.SettleNow(ctx, told(l.charge, ""))
}

// sendBack has the bank return the debit; a card's charge has none.
func (l *life) sendBack(ctx context.Context) error {
	if l.charge.Type == charge.Card {
		return nil
	}
	return l.w.Charges.Return(ctx, told(l.charge, "R01"))
}

func (l *life) sweep(ctx context.Context) error {
	m, err := l.w.Clocks.Moment(ctx, l.w.App.AppID)
	if err != nil {
		return err
	}
	_, err = l.w.Refunds.ReleaseWaiting(ctx, clock.View{Except: []int64{}, Moment: m})
	return err
}

func (l *life) resolve(ctx context.Context) error {
	_, err := l.w.Operations.Resolve(ctx)
	return err
}

// within says what is wrong with the charge's amounts at any instant.
func (l *life) within(ctx context.Context) error {
	c, err := l.w.Charges.Get(ctx, l.w.Actor(), l.charge.ID.String())
	if err == nil && (c.AmountRefunded < 0 || c.AmountRefundPending < 0 ||
		c.AmountRefunded+c.AmountRefundPending > c.AmountCaptured) {
		err = fmt.Errorf("%d refunded and %d pending of %d", c.AmountRefunded, c.AmountRefundPending, c.AmountCaptured)
	}
	return err
}

// end lets everything that is in progress come to its end.
func (l *life) end(ctx context.Context) error {
	l.p.refund = nil
	if err := l.settle(ctx); err != nil {
		return err
	}
	for range 3 {
		l.w.Clock.Advance(l.p.SettleWindow() + 5*time.Minute)
		for _, step := range []func(context.Context) error{l.sweep, l.resolve, l.hear} {
			if err := step(ctx); err != nil {
				return err
			}
		}
	}
	n, err := pg.Value[int](ctx, l.w.Pool, `SELECT count(*)::int FROM refunds
		WHERE charge_id = @id AND status = 'pending'`, pg.Args{"id": l.charge.ID})
	if err == nil && n > 0 {
		err = fmt.Errorf("%d refunds never end", n)
	}
	return err
}

func newLife(w *fixture.World, p *scripted, c charge.Charge) *life {
	return &life{w: w, p: p, charge: c, keys: map[string]refund.CreateInput{}}
}

// step does one random thing.
func (l *life) step(ctx context.Context, t *rapid.T, n int) error {
	pick := rapid.IntRange(0, 1000).Draw(t, "pick")
	switch rapid.SampledFrom([]string{"create", "create", "create", "all", "retry", "cancel", "dispute",
		"settle", "return", "sweep", "resolve", "arrive", "later", "fail"}).Draw(t, "step") {
	case "create":
		fate := rapid.SampledFrom([]string{"approve", "decline", "lose", "loseDecline", "drop", "delay"}).Draw(t,
			"fate")
		l.p.refund = l.p.fates()[fate]
		return l.create(ctx, of(l.charge, money.Amount(1+pick%60)), fmt.Sprint(l.charge.ID, n))
	case "all":
		return l.create(ctx, of(l.charge, 0), fmt.Sprint(l.charge.ID, n))
	case "retry":
		return l.retry(ctx, pick)
	case "cancel":
		return l.cancel(ctx, pick)
	case "dispute":
		return l.dispute(ctx, money.Amount(pick%40))
	case "settle":
		return l.settle(ctx)
	case "return":
		return l.sendBack(ctx)
	case "sweep":
		return l.sweep(ctx)
	case "resolve":
		return l.resolve(ctx)
	case "arrive":
		return l.p.deliver(ctx)
	case "fail":
		return l.fail(ctx, pick)
	}
	l.w.Clock.Advance(time.Duration(pick) * time.Millisecond)
	return nil
}

func TestAnyLifeOfACharge(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	card, bank := w.Token(good), account(t, w)
	rapid.Check(t, func(rt *rapid.T) {
		var l *life
		if rapid.Bool().Draw(rt, "bank") {
			l = newLife(w, p, charged(t, w, bank, 100, charge.Pending))
		} else {
			l = newLife(w, p, charged(t, w, card, 100, charge.Captured))
		}
		for n := range rapid.IntRange(1, 14).Draw(rt, "steps") { // shorter than the processor's window
			if err := l.step(t.Context(), rt, n); unexpected(err) {
				rt.Fatal(err)
			}
			if err := l.within(t.Context()); err != nil {
				rt.Fatal(err)
			}
		}
		if rapid.Bool().Draw(rt, "all arrive") {
			if err := p.deliver(t.Context()); err != nil {
				rt.Fatal(err)
			}
		}
		clear(p.late)
		if err := l.end(t.Context()); err != nil {
			rt.Fatal(err)
		}
		if found, err := wrongs(w); err != nil || len(found) > 0 {
			rt.Fatalf("%q, %v", found, err)
		}
	})
}

// Requests, sweepers, resolvers and the charges' own changes at once: no one waits for another in a
// circle, and the books are right.
func TestEverythingAtOnce(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	var lives []*life
	for range 2 {
		lives = append(lives, newLife(w, p, debited(t, w, 100)), newLife(w, p, captured(t, w, 100)))
	}
	p.refund = func(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
		fates := p.fates()
		if play := fates[[]string{"approve", "approve", "decline", "lose", "drop"}[rand.IntN(5)]]; play != nil {
			return play(ctx, f)
		}
		return p.Processor.Refund(ctx, f)
	}
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			for n := range 15 {
				l := lives[rand.IntN(len(lives))]
				step := []func(context.Context) error{
					func(ctx context.Context) error {
						return l.create(ctx, of(l.charge, money.Amount(1+rand.IntN(30))), fmt.Sprint(i, n))
					},
					func(ctx context.Context) error { return l.retry(ctx, rand.IntN(1000)) },
					func(ctx context.Context) error { return l.cancel(ctx, rand.IntN(1000)) },
					l.sweep, l.resolve,
					func(ctx context.Context) error { return l.dispute(ctx, 1) },
					l.settle,
				}[rand.IntN(7)]
				if err := step(t.Context()); unexpected(err) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, l := range lives {
		if err := l.end(t.Context()); err != nil {
			t.Error(err)
		}
	}
	audit(t, w)
}
