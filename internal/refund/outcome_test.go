package refund_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
	"svcpay/internal/testing/fixture"
)

func TestLostAnswerStaysReservedAndIsFoundOut(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.refund = p.lose
	c, claim := captured(t, w, 100), claimOf(w, "k")
	out := create(t, w, of(c, 70), claim)
	if out.Object.Status != refund.Pending || out.Object.PendingReason != nil || out.Prior != nil {
		t.Fatalf("%+v", out)
	}
	if again := create(t, w, of(c, 70), claim); again.Prior == nil || again.Prior.State != idempotency.Accepted ||
		again.Object.ID != out.Object.ID {
		t.Errorf("a retry meanwhile: %+v", again)
	}
	if _, err := w.Refunds.Create(t.Context(), w.Actor(), of(c, 31), nil); code(err) != "refund_exceeds_remaining" {
		t.Errorf("what is reserved is given again: %v", err)
	}
	audit(t, w)
	w.Clock.Advance(150 * time.Millisecond)
	resolve(t, w, 1)
	r := get(t, w, out.Object.ID)
	if now := chargeOf(t, w, c.ID); r.Status != refund.Succeeded || now.AmountRefunded != 70 ||
		now.AmountRefundPending != 0 {
		t.Errorf("%s of %s", jsonOf(t, r), jsonOf(t, now))
	}
	if again := create(t, w, of(c, 70), claim); again.Prior.State != idempotency.Done ||
		string(again.Prior.Outcome.Result) != jsonOf(t, r) || len(p.calls) != 1 {
		t.Errorf("a retry afterwards, with %d calls: %+v", len(p.calls), again)
	}
	if n := count(t, w, `events WHERE object_id = @id AND type = 'refund.succeeded'
		AND source = 'job'`, pg.Args{"id": r.ID}); n != 1 {
		t.Error("the event does not tell who found it out")
	}
	audit(t, w)
}

func TestLostRefundFailsWhenTheWindowCloses(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.refund = p.drop
	c, claim := captured(t, w, 100), claimOf(w, "k")
	id := create(t, w, of(c, 70), claim).Object.ID
	w.Clock.Advance(p.SettleWindow())
	resolve(t, w, 1)
	if r := get(t, w, id); r.Status != refund.Pending {
		t.Errorf("given up while the window is open: %s", jsonOf(t, r))
	}
	w.Clock.Advance(5 * time.Second)
	resolve(t, w, 1)
	r := get(t, w, id)
	if r.Status != refund.Failed || r.Failure.Code != "not_submitted" || chargeOf(t, w, c.ID).AmountRefundable != 100 {
		t.Errorf("%s", jsonOf(t, r))
	}
	if again := create(t, w, of(c, 70), claim); again.Prior == nil ||
		string(again.Prior.Outcome.Result) != jsonOf(t, r) || len(p.calls) != 1 {
		t.Errorf("replayed %+v with %d calls", again, len(p.calls))
	}
	audit(t, w)
}

func TestLostRefusalIsFoundOut(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.refund = p.loseDecline
	c := captured(t, w, 100)
	id := create(t, w, of(c, 70), nil).Object.ID
	w.Clock.Advance(time.Second)
	resolve(t, w, 1)
	if r := get(t, w, id); r.Status != refund.Failed || r.Failure.Code != "refund_declined" ||
		chargeOf(t, w, c.ID).AmountRefundable != 100 {
		t.Errorf("%s", jsonOf(t, r))
	}
	audit(t, w)
}

func TestCallerWhoLeavesCancelsNothing(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c := captured(t, w, 100)
	ctx, leave := context.WithCancel(t.Context())
	p.refund = func(call context.Context, f processor.FollowUp) (processor.Answer, error) {
		leave()
		if end, ok := call.Deadline(); !ok || time.Until(end) > processor.CallTimeout || call.Err() != nil {
			t.Errorf("the call ends at %v, %v", end, call.Err())
		}
		return p.Processor.Refund(call, f)
	}
	out, err := w.Refunds.Create(ctx, w.Actor(), of(c, 0), claimOf(w, "k"))
	if err != nil || out.Object.Status != refund.Succeeded {
		t.Errorf("%+v, %v", out, err)
	}
	audit(t, w)
}

func TestRetryTakesOverFromADeadOwner(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	called, dead := make(chan struct{}), make(chan struct{})
	p.refund = func(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
		_, _ = p.lose(ctx, f)
		close(called)
		<-dead
		return p.Lookup(ctx, f.Account, f.Reference)
	}
	c, claim := captured(t, w, 100), claimOf(w, "k")
	var owner sync.WaitGroup
	owner.Go(func() { // he is dead for the others; later it turns out that he was only slow
		if out, err := w.Refunds.Create(t.Context(), w.Actor(), of(c, 0), claim); err != nil ||
			out.Object.Status != refund.Succeeded || out.Object.Version != 2 {
			t.Errorf("the owner: %+v, %v", out, err)
		}
	})
	<-called
	_, err := w.Refunds.Create(t.Context(), w.Actor(), of(c, 0), claim)
	if f, ok := fault.As(err); !ok || f.Code != "idempotency_key_in_use" || f.RetryAfter != time.Second {
		t.Errorf("at once: %v", err)
	}
	w.Clock.Advance(2 * time.Second)
	out := create(t, w, of(c, 0), claim)
	if out.Prior == nil || out.Prior.State != idempotency.Done ||
		!strings.Contains(string(out.Prior.Outcome.Result), `"succeeded"`) {
		t.Errorf("two seconds later: %+v", out)
	}
	close(dead)
	owner.Wait()
	if len(p.calls) != 1 {
		t.Errorf("%d calls", len(p.calls))
	}
	audit(t, w)
}

// Each of these refunds is finished by its request and by two resolvers at once.
func TestFinishRacesItsResolvers(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	const n = 12
	submitted, answer := make(chan struct{}, n), make(chan struct{})
	p.refund = func(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
		out, err := p.Processor.Refund(ctx, f)
		submitted <- struct{}{}
		<-answer
		return out, err
	}
	var charges []charge.Charge
	for range 3 {
		charges = append(charges, captured(t, w, 400))
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if out, err := insist(t, w, of(charges[i%3], 100), nil); err != nil || out.Object.Version > 2 {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
	for range n {
		<-submitted
	}
	w.Clock.Advance(2 * time.Second)
	close(answer) // from here on three want to write the same outcomes
	for range 2 {
		all.Go(func() {
			if _, err := w.Operations.Resolve(t.Context()); err != nil && !pg.IsUnavailable(err) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := count(t, w, "refunds WHERE status = 'succeeded' AND version = 2", pg.Args{}); got != n {
		t.Errorf("%d of %d have succeeded", got, n)
	}
	audit(t, w)
}

// A finish that cannot be written leaves the refund to the resolver, and holds up no other.
func TestFinishThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c := captured(t, w, 100)
	poison := func(ctx context.Context, reference string) error {
		id, _ := ids.ParseRefund(reference)
		return pg.InTx(ctx, w.Pool, func(tx *pg.Tx) error {
			ledger.PostTx(tx, instant.Both(w.Clock.Now()), ledger.Posting{
				ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US, BusinessKey: reference +
					":refund", Kind: "refund",
				Debit: ledger.MerchantPending, Credit: ledger.ProcessorReceivable, Amount: 1, Currency: "usd",
				SourceID: id.Bytes(),
			})
			return nil
		})
	}
	p.refund = func(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
		if err := poison(ctx, f.Reference); err != nil {
			t.Error(err)
		}
		return p.Processor.Refund(ctx, f)
	}
	bad := create(t, w, of(c, 10), claimOf(w, "k")).Object
	p.refund = p.lose
	fine := create(t, w, of(c, 20), nil).Object
	if bad.Status != refund.Pending {
		t.Fatalf("%s", jsonOf(t, bad))
	}
	w.Clock.Advance(2 * time.Second)
	if _, err := w.Operations.Resolve(t.Context()); err == nil {
		t.Error("nobody is told")
	}
	if a, b := get(t, w, bad.ID).Status, get(t, w, fine.ID).Status; a != refund.Pending || b != refund.Succeeded {
		t.Errorf("%s and %s", a, b)
	}
	if now := chargeOf(t, w, c.ID); now.AmountRefundPending != 10 || now.AmountRefunded != 20 {
		t.Errorf("%s", jsonOf(t, now))
	}
}

func TestNothingIsSentTooLate(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c := captured(t, w, 100)
	actor := w.Actor()
	w.Clock.JumpAfter(2, processor.CallTimeout) // the claim, which reads it twice, takes this long
	out, err := w.Refunds.Create(t.Context(), actor, of(c, 0), nil)
	if err != nil {
		t.Fatal(err)
	}
	id := out.Object.ID
	if len(p.calls) != 0 {
		t.Error("a call was begun that could end after its refund is given up")
	}
	if r := get(t, w, id); r.Failure == nil || r.Failure.Code != "not_submitted" {
		t.Errorf("%s", jsonOf(t, r))
	}
	audit(t, w)
}

func TestApplicationsAreWalls(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := captured(t, w, 100)
	r := create(t, w, of(c, 10), nil).Object
	theirs := w.ActorOf(w.Other)
	for _, text := range []string{r.ID.String(), ids.NewRefund(w.Clock.Now()).String(), "re_", "",
		"ch_" + r.ID.String()[3:], strings.ToUpper(r.ID.String())} {
		_, reads := w.Refunds.Get(t.Context(), theirs, text)
		_, cancels := w.Refunds.Cancel(t.Context(), theirs, text, nil)
		if code(reads) != "resource_missing" || code(cancels) != "resource_missing" {
			t.Errorf("%q: %v, %v", text, reads, cancels)
		}
	}
	all := page.Input[ids.Refund]{Limit: 10}
	if got, err := w.Refunds.List(t.Context(), theirs,
		refund.ListInput{Page: all, ChargeID: &c.ID, Merchants: []int64{r.MerchantID}}); err != nil ||
		len(got.Items) != 0 {
		t.Errorf("another application lists %v, %v", got, err)
	}
	browser := theirs
	browser.Role = "public_key"
	_, reads := w.Refunds.Get(t.Context(), browser, r.ID.String())
	_, lists := w.Refunds.List(t.Context(), browser, refund.ListInput{Page: all})
	_, cancels := w.Refunds.Cancel(t.Context(), browser, r.ID.String(), nil)
	if code(reads) != "permission_denied" || code(lists) != "permission_denied" ||
		code(cancels) != "permission_denied" {
		t.Errorf("a browser: %v, %v, %v", reads, lists, cancels)
	}
}
