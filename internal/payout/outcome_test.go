package payout_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

func TestFailureThenResumeThenPaid(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.earn(t, 400)
	w.p.plays(declines)
	w.next(t)
	p := w.last(t, 1)
	if p.Status != payout.Failed || p.Failure.Code != "payout_declined" || p.Failure.ReturnCode != nil ||
		p.FailedAt == nil || p.Version != 2 {
		t.Errorf("%+v", p)
	}
	if m := w.merchant(t); m.PayoutsPausedReason == nil || *m.PayoutsPausedReason != merchant.PayoutFailed ||
		w.owed(t, ledger.MerchantAvailable) != 400 {
		t.Errorf("%+v", m)
	}
	w.audit(t)
	w.p.plays(nil)
	w.earn(t, 50)
	w.next(t)
	w.last(t, 1) // paused
	if _, err := w.Payouts.Resume(t.Context(), w.Actor(), w.us); !fault.HasCode(err, "permission_denied") {
		t.Errorf("an application resumes: %v", err)
	}
	if _, err := w.Payouts.Resume(t.Context(), w.Admin(), w.Other.Merchants.US); !fault.HasCode(err,
		"resource_missing") {
		t.Errorf("another's merchant is resumed: %v", err)
	}
	m, err := w.Payouts.Resume(t.Context(), w.Admin(), w.us)
	if err != nil || m.PayoutsPausedReason != nil || m.Version != 3 {
		t.Errorf("%+v, %v", m, err)
	}
	if again, err := w.Payouts.Resume(t.Context(), w.Admin(), w.us); err != nil || again.Version != 3 {
		t.Errorf("resumed twice: %+v, %v", again, err)
	}
	w.next(t)
	p = w.last(t, 2)
	if p.Amount != 450 || p.EntryCount != 2 {
		t.Errorf("%+v", p)
	}
	if err := w.Payouts.Paid(t.Context(), tell(p, processor.PayoutPaid, "")); err != nil {
		t.Fatal(err)
	}
	w.audit(t)
}

func TestReturnGivesTheMoneyBack(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.earn(t, 400)
	w.next(t)
	p := w.last(t, 1)
	if err := w.Payouts.Paid(t.Context(), tell(p, processor.PayoutPaid, "")); err != nil {
		t.Fatal(err)
	}
	if err := w.Payouts.Returned(t.Context(), tell(p, processor.PayoutReturned, "R02")); err != nil {
		t.Fatal(err)
	}
	p = w.last(t, 1)
	if p.Status != payout.Returned || p.Failure.Code != "bank_returned" || *p.Failure.ReturnCode != "R02" ||
		p.PaidAt == nil || p.ReturnedAt == nil || p.Version != 3 {
		t.Errorf("%+v", p)
	}
	if m := w.merchant(t); *m.PayoutsPausedReason != merchant.PayoutReturned ||
		w.owed(t, ledger.MerchantAvailable) != 400 {
		t.Errorf("%+v", m)
	}
	if n := w.count(t, `events WHERE object_id = @id AND type = 'payout.returned' AND position = 3
		AND previous_attributes::jsonb ? 'failure'`, pg.Args{"id": p.ID}); n != 1 {
		t.Errorf("%d events", n)
	}
	w.audit(t)
}

// TestNewsInAnyOrder: whatever the processor repeats and in whatever order it comes, the end is the same.
func TestNewsInAnyOrder(t *testing.T) {
	t.Parallel()
	w := open(t)
	stories := map[payout.Status][]processor.EventKind{
		payout.Paid: {processor.PayoutPaid}, payout.Failed: {processor.PayoutFailed},
		payout.Returned: {processor.PayoutPaid, processor.PayoutReturned},
	}
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.SampledFrom([]payout.Status{payout.Paid, payout.Failed, payout.Returned}).Draw(rt, "story")
		news := slices.Clone(stories[want])
		for range rapid.IntRange(0, 3).Draw(rt, "repetitions") {
			news = append(news, rapid.SampledFrom(stories[want]).Draw(rt, "repeated"))
		}
		news = rapid.Permutation(news).Draw(rt, "order")
		w.earn(rt, 10)
		w.next(rt)
		n++
		p := w.last(rt, n)
		for _, kind := range news {
			do := map[processor.EventKind]func(context.Context, processor.Event) error{
				processor.PayoutPaid: w.Payouts.Paid, processor.PayoutFailed: w.Payouts.Failed,
				processor.PayoutReturned: w.Payouts.Returned}[kind]
			if err := do(w.T.Context(), tell(p, kind, "R03")); err != nil {
				rt.Fatal(err)
			}
		}
		if p = w.last(rt, n); p.Status != want ||
			p.Version != 1+map[payout.Status]int{payout.Paid: 1, payout.Failed: 1, payout.Returned: 2}[want] {
			rt.Fatalf("%v: %+v", news, p)
		}
		if _, err := w.Payouts.Resume(w.T.Context(), w.Admin(), w.us); err != nil {
			rt.Fatal(err)
		}
		w.audit(rt)
	})
}

func TestNewsThatCannotBe(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.earn(t, 10)
	w.next(t)
	p := w.last(t, 1)
	stranger := tell(p, processor.PayoutPaid, "")
	stranger.Account = processor.MerchantAccount(w.Other.AppID, w.Other.Merchants.US)
	unknown := tell(p, processor.PayoutPaid, "")
	unknown.Reference = ids.NewPayout(w.Clock.Now()).String()
	for name, ev := range map[string]processor.Event{"another's account": stranger, "an unknown reference": unknown} {
		if err := w.Payouts.Paid(t.Context(), ev); !fault.HasCode(err, "resource_missing") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p = w.last(t, 1); p.Status != payout.Processing {
		t.Errorf("%+v", p)
	}
	if err := w.Payouts.Paid(t.Context(), tell(p, processor.PayoutPaid, "")); err != nil {
		t.Fatal(err)
	}
	if err := w.Payouts.Failed(t.Context(), tell(p, processor.PayoutFailed, "")); err == nil {
		t.Error("what has arrived fails")
	}
	w.earn(t, 10)
	w.next(t)
	second := w.last(t, 2)
	if err := w.Payouts.Failed(t.Context(), tell(second, processor.PayoutFailed, "")); err != nil {
		t.Fatal(err)
	}
	for _, do := range []func(context.Context, processor.Event) error{w.Payouts.Paid, w.Payouts.Returned} {
		if err := do(t.Context(), tell(second, processor.PayoutPaid, "")); err == nil {
			t.Error("what has failed arrives")
		}
	}
	w.audit(t)
}

// TestLostSubmissionIsPaidNext: a binary that dies before it calls, or whose call is lost, leaves a
// payout that the resolver gives up; the money goes with the next run, and no one need resume anything.
func TestLostSubmissionIsPaidNext(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(t *testing.T, w place){
		"the binary died": func(t *testing.T, w place) {
			w.Clock.Advance(w.merchant(t).NextPayoutAt.Sub(w.Clock.Now()))
			if err := w.Payouts.BeginAndDie(t.Context(), w.Clock.Now(), w.App.AppID, w.us); err != nil {
				t.Fatal(err)
			}
			w.run(t)
		},
		"the call was lost": func(t *testing.T, w place) {
			w.p.plays(func(context.Context, processor.Payout) (processor.Answer, error) {
				return processor.Answer{},
					errLost
			})
			w.next(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			paidNext(t, lose)
		})
	}
}

func paidNext(t *testing.T, lose func(t *testing.T, w place)) {
	w := open(t)
	w.earn(t, 300)
	lose(t, w)
	p := w.last(t, 1)
	if p.Status != payout.Processing || w.count(t, `processor_operations WHERE state = 'open'`, pg.Args{}) != 1 {
		t.Errorf("%+v", p)
	}
	w.audit(t)
	w.p.plays(nil)
	w.Clock.Advance(time.Minute)
	if n, err := w.Operations.Resolve(t.Context()); err != nil || n != 1 {
		t.Errorf("asked about %d, %v", n, err)
	}
	p = w.last(t, 1)
	if p.Status != payout.Failed || p.Failure.Code != "not_submitted" || w.merchant(t).PayoutsPausedReason != nil {
		t.Errorf("%+v", p)
	}
	w.audit(t)
	w.next(t)
	if p = w.last(t, 2); p.Amount != 300 {
		t.Errorf("%+v", p)
	}
	w.audit(t)
}

// TestLostAnswerIsFound: a payout whose answer was lost is on its way, and arrives.
func TestLostAnswerIsFound(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.earn(t, 300)
	w.p.plays(func(ctx context.Context, p processor.Payout) (processor.Answer, error) {
		if _, err := w.p.Processor.Payout(ctx, p); err != nil {
			return processor.Answer{}, err
		}
		return processor.Answer{}, errLost
	})
	w.next(t)
	w.Clock.Advance(time.Second)
	if n, err := w.Operations.Resolve(t.Context()); err != nil || n != 1 {
		t.Errorf("asked about %d, %v", n, err)
	}
	p := w.last(t, 1)
	if p.Status != payout.Processing || w.count(t, `processor_operations WHERE state = 'approved'`, pg.Args{}) != 1 {
		t.Errorf("%+v", p)
	}
	w.audit(t)
}

// TestRandomLives plays random postings, runs and outcomes: payouts never pay more than was available,
// each entry is in one active payout at most, and everything sums up at every step.
func TestRandomLives(t *testing.T) {
	t.Parallel()
	w := open(t)
	rapid.Check(t, func(rt *rapid.T) {
		w.payable(rt) // whatever the life before left: else a few unlucky ones would be all that is tried
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			amount := money.Amount(rapid.Int64Range(1, 100_000).Draw(rt, "amount"))
			switch rapid.SampledFrom([]string{"earn", "earn", "lose", "run", "run", "end", "end", "resume", "resume",
				"status"}).Draw(rt, "step") {
			case "earn":
				w.earn(rt, amount)
			case "lose":
				w.lose(rt, amount)
			case "run":
				w.randomRun(rt)
			case "end":
				w.randomEnd(rt)
			case "resume":
				w.resume(rt)
			case "status":
				w.become(rt,
					rapid.SampledFrom([]merchant.Status{merchant.Active, merchant.Active, merchant.Suspended}).Draw(rt,
						"status"))
			}
			w.audit(rt)
		}
	})
	if n := w.count(t, `payouts WHERE status <> 'processing'`, pg.Args{}); n < 20 {
		t.Errorf("only %d payouts ended: nothing much was tried", n)
	}
}

// payable has the merchant owed something that it can be paid.
func (w place) payable(t *rapid.T) {
	w.become(t, merchant.Active)
	w.resume(t)
	if owed := w.owed(t, ledger.MerchantAvailable); owed <= 0 {
		w.earn(t, 1-owed)
	}
}

func (w place) resume(t *rapid.T) {
	if _, err := w.Payouts.Resume(w.T.Context(), w.Admin(), w.us); err != nil {
		t.Fatal(err)
	}
}

func (w place) become(t *rapid.T, status merchant.Status) {
	in := merchant.StatusInput{MerchantID: w.us, Reason: "x", Status: status}
	if _, err := w.Merchants.SetStatus(w.T.Context(), w.Admin(), in); err != nil {
		t.Fatal(err)
	}
}

// randomRun runs with an answer, without one, or refused, and checks what was paid against what was there.
func (w place) randomRun(t *rapid.T) {
	before, m, had := w.owed(t, ledger.MerchantAvailable), w.merchant(t), len(w.payouts(t))
	outcome := rapid.SampledFrom([]string{"approved", "approved", "declined", "lost"}).Draw(t, "outcome")
	switch outcome {
	case "declined":
		w.p.plays(declines)
	case "lost":
		w.p.plays(func(context.Context, processor.Payout) (processor.Answer, error) {
			return processor.Answer{},
				errLost
		})
	default:
		w.p.plays(nil)
	}
	w.next(t)
	if outcome == "lost" {
		w.Clock.Advance(time.Minute)
		if _, err := w.Operations.Resolve(w.T.Context()); err != nil {
			t.Fatal(err)
		}
	}
	all := w.payouts(t)
	if may := before > 0 && m.PayoutsPausedReason == nil && m.Status == merchant.Active; !may {
		if len(all) != had {
			t.Fatalf("%d was paid to a merchant with %d", all[len(all)-1].Amount, before)
		}
		return
	}
	if len(all) != had+1 || all[had].Amount != before {
		t.Fatalf("%d payouts, want one more of %d than %d", len(all), before, had)
	}
}

// randomEnd lets the processor say how one of the payouts on their way ended.
func (w place) randomEnd(t *rapid.T) {
	all := slices.DeleteFunc(w.payouts(t), func(p payout.Payout) bool {
		return p.Status != payout.Processing &&
			p.Status != payout.Paid
	})
	if len(all) == 0 {
		return
	}
	p := rapid.SampledFrom(all).Draw(t, "payout")
	do := w.Payouts.Returned
	if p.Status == payout.Processing {
		do = rapid.SampledFrom([]func(context.Context, processor.Event) error{w.Payouts.Paid, w.Payouts.Failed,
			w.Payouts.Returned}).Draw(t, "end")
	}
	if err := do(w.T.Context(), tell(p, "", fmt.Sprint("R0", rapid.IntRange(1, 4).Draw(t, "code")))); err != nil {
		t.Fatal(err)
	}
}
