package charge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
)

// source says who caused a charge's second event, and its type.
func source(t *testing.T, w *fixture.World, id ids.Charge) string {
	t.Helper()
	text, err := pg.Value[string](t.Context(), w.Pool, `SELECT type || ' by ' || source FROM events
		WHERE object_id = @id AND position = 2`, pg.Args{"id": id})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestLostAnswerIsFoundOut(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.authorize = p.lose
	in, claim := input(w, good, 100), claimOf(w, "k")
	out := create(t, w, in, claim)
	if out.Object.Status != charge.Processing || out.Prior != nil {
		t.Fatalf("%+v", out)
	}
	if again := create(t, w, in, claim); again.Prior == nil || again.Prior.State != idempotency.Accepted ||
		again.Object.ID != out.Object.ID || again.Object.Status != charge.Processing {
		t.Errorf("a retry meanwhile: %+v", again)
	}
	resolve(t, w, 0)
	w.Clock.Advance(150 * time.Millisecond)
	resolve(t, w, 1)
	w.Clock.Advance(time.Hour)
	resolve(t, w, 0)
	c := get(t, w, out.Object.ID)
	if c.Status != charge.Captured || c.FeeTotal != 10+20+5+1 || source(t, w, c.ID) != "charge.captured by job" {
		t.Errorf("%s", jsonOf(t, c))
	}
	if again := create(t, w, in, claim); again.Prior.State != idempotency.Done ||
		string(again.Prior.Outcome.Result) != jsonOf(t, c) || len(p.calls) != 1 {
		t.Errorf("a retry afterwards, with %d calls: %+v", len(p.calls), again)
	}
	audit(t, w)
}

func TestLostSubmissionFailsWhenTheWindowCloses(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.authorize = p.refuse
	in, claim := input(w, good, 100), claimOf(w, "k")
	id := create(t, w, in, claim).Object.ID
	w.Clock.Advance(p.SettleWindow())
	resolve(t, w, 1)
	if c := get(t, w, id); c.Status != charge.Processing {
		t.Errorf("given up while the window is open: %+v", c)
	}
	w.Clock.Advance(5 * time.Second)
	resolve(t, w, 1)
	c := get(t, w, id)
	if c.Status != charge.Failed || c.Failure.Code != "not_submitted" || c.FeeTotal != 0 ||
		source(t, w, id) != "charge.failed by job" {
		t.Errorf("%s", jsonOf(t, c))
	}
	again := create(t, w, in, claim)
	if f := again.Prior.Outcome.Refusal; f == nil || f.Code != "processor_error" || f.Kind != fault.KindUnavailable ||
		f.Detail["charge_id"] != id.String() {
		t.Errorf("replayed %+v", again.Prior)
	}
	if n := count(t, w, "ledger_entries", pg.Args{}) + count(t, w, "fee_events", pg.Args{}); n != 0 ||
		len(p.calls) != 1 {
		t.Errorf("%d rows in the books, %d calls", n, len(p.calls))
	}
	audit(t, w)
}

func TestLookUpsBackOff(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.authorize = p.refuse
	var asked atomic.Int64
	p.lookup = func(context.Context, processor.Account, string) (processor.Answer, error) {
		asked.Add(1)
		return processor.Answer{}, errors.New("down")
	}
	id := create(t, w, input(w, good, 100), nil).Object.ID
	for range 600 { // ten minutes
		w.Clock.Advance(time.Second)
		if _, err := w.Operations.Resolve(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := asked.Load(); n < 8 || n > 16 {
		t.Errorf("asked %d times in ten minutes", n)
	}
	if c := get(t, w, id); c.Status != charge.Processing {
		t.Errorf("given up although nobody answered: %+v", c)
	}
	p.lookup = nil
	w.Clock.Advance(5 * time.Minute)
	resolve(t, w, 1)
	if c := get(t, w, id); c.Status != charge.Failed {
		t.Errorf("%+v", c)
	}
}

func TestBackOffDoesNotOvershootTheWindow(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.authorize = p.refuse
	id := create(t, w, input(w, good, 100), nil).Object.ID
	begun := w.Clock.Now()
	for get(t, w, id).Status == charge.Processing && w.Clock.Now().Sub(begun) < time.Minute {
		w.Clock.Advance(50 * time.Millisecond)
		if _, err := w.Operations.Resolve(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if took := w.Clock.Now().Sub(begun); took > p.SettleWindow()+time.Second {
		t.Errorf("final after %v, the window is %v", took, p.SettleWindow())
	}
}

func TestNothingIsSubmittedTooLate(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	actor, in := w.Actor(), input(w, good, 100)
	w.Clock.JumpAfter(2, processor.CallTimeout) // the claim, which reads it twice, takes this long
	_, err := w.Charges.Create(t.Context(), actor, in, nil)
	f, ok := fault.As(err)
	if !ok || f.Code != "processor_error" {
		t.Fatal(err)
	}
	if len(p.calls) != 0 {
		t.Error("a call was begun that could end after its charge is given up")
	}
	id, err := ids.ParseCharge(fmt.Sprint(f.Detail["charge_id"]))
	if err != nil {
		t.Fatal(err)
	}
	if c := get(t, w, id); c.Failure == nil || c.Failure.Code != "not_submitted" {
		t.Errorf("%+v", c)
	}
	audit(t, w)
}

func TestAdapterThatPanics(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.authorize = func(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
		_, _ = p.lose(ctx, a)
		panic("no")
	}
	first, second := create(t, w, input(w, good, 100), nil).Object.ID, create(t, w, input(w, good, 100), nil).Object.ID
	p.lookup = func(ctx context.Context, account processor.Account, reference string) (processor.Answer, error) {
		if reference == first.String() {
			panic("no")
		}
		return p.Processor.Lookup(ctx, account, reference)
	}
	w.Clock.Advance(time.Second)
	resolve(t, w, 2)
	if a, b := get(t, w, first).Status, get(t, w, second).Status; a != charge.Processing || b != charge.Captured {
		t.Errorf("%s and %s", a, b)
	}
	audit(t, w)
}

func TestCallerWhoLeavesCancelsNothing(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	ctx, leave := context.WithCancel(t.Context())
	p.authorize = func(call context.Context, a processor.Authorization) (processor.Answer, error) {
		leave()
		if end, ok := call.Deadline(); !ok || time.Until(end) > processor.CallTimeout || call.Err() != nil {
			t.Errorf("the call ends at %v, %v", end, call.Err())
		}
		return p.Processor.Authorize(call, a)
	}
	out, err := w.Charges.Create(ctx, w.Actor(), input(w, good, 100), claimOf(w, "k"))
	if err != nil || out.Object.Status != charge.Captured {
		t.Errorf("%+v, %v", out.Object, err)
	}
	audit(t, w)
}

func TestRetryTakesOverFromADeadOwner(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	called, dead := make(chan struct{}), make(chan struct{})
	p.authorize = func(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
		_, _ = p.lose(ctx, a)
		close(called)
		<-dead
		return p.Lookup(ctx, a.Account, a.Reference)
	}
	in, claim := input(w, good, 100), claimOf(w, "k")
	var owner sync.WaitGroup
	owner.Go(func() { // he is dead for the others; later it turns out that he was only slow
		if out, err := w.Charges.Create(t.Context(), w.Actor(), in, claim); err != nil ||
			out.Object.Status != charge.Captured {
			t.Errorf("the owner: %+v, %v", out, err)
		}
	})
	<-called
	_, err := w.Charges.Create(t.Context(), w.Actor(), in, claim)
	if f, ok := fault.As(err); !ok || f.Code != "idempotency_key_in_use" || f.RetryAfter != time.Second {
		t.Errorf("at once: %v", err)
	}
	w.Clock.Advance(2 * time.Second)
	out := create(t, w, in, claim)
	if out.Prior == nil || out.Prior.State != idempotency.Done ||
		!strings.Contains(string(out.Prior.Outcome.Result), `"captured"`) {
		t.Errorf("two seconds later: %+v", out)
	}
	close(dead)
	owner.Wait()
	if len(p.calls) != 1 {
		t.Errorf("%d calls", len(p.calls))
	}
	audit(t, w)
}

func TestManyAtOnceWithOneKey(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in, claim := input(w, good, 100), claimOf(w, "k")
	var made atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			out, err := w.Charges.Create(t.Context(), w.Actor(), in, claim)
			switch {
			case err == nil && out.Prior == nil:
				made.Add(1)
			case err == nil && out.Prior.State == idempotency.Done, code(err) == "idempotency_key_in_use":
			default:
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 || count(t, w, "charges", pg.Args{}) != 1 {
		t.Errorf("made %d", made.Load())
	}
	audit(t, w)
}

func TestFinishRacesItsResolvers(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	const n = 12
	submitted, answer := make(chan struct{}, n), make(chan struct{})
	p.authorize = func(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
		out, err := p.Processor.Authorize(ctx, a)
		submitted <- struct{}{}
		<-answer
		return out, err
	}
	var inputs []charge.CreateInput
	for range n {
		inputs = append(inputs, input(w, good, 100))
	}
	var all sync.WaitGroup
	for i, in := range inputs {
		all.Go(func() {
			if out, err := w.Charges.Create(t.Context(), w.Actor(), in, claimOf(w, fmt.Sprint(i))); err != nil ||
				out.Object.Status != charge.Captured || out.Object.Version != 2 {
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
			if _, err := w.Operations.Resolve(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := count(t, w, "charges WHERE status = 'captured'", pg.Args{}); got != n {
		t.Errorf("%d of %d are captured", got, n)
	}
	audit(t, w)
}

// poison makes the finish of a charge fail: its capture is posted already.
func poison(ctx context.Context, w *fixture.World, id string) error {
	source, _ := ids.ParseCharge(id)
	return pg.InTx(ctx, w.Pool, func(tx *pg.Tx) error {
		ledger.PostTx(tx, instant.Both(w.Clock.Now()), ledger.Posting{
			ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US, BusinessKey: id + ":capture",
			Kind: ledger.KindCapture, Debit: ledger.ProcessorReceivable, Credit: ledger.MerchantPending, Amount: 1,
			Currency: money.USD, SourceID: source.Bytes(),
		})
		return nil
	})
}

func TestPoisonedRowHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.authorize = p.lose
	var all []ids.Charge
	for i := range 6 {
		if i == 4 {
			p.authorize = p.refuse
		}
		all = append(all, create(t, w, input(w, good, 100), claimOf(w, fmt.Sprint(i))).Object.ID)
	}
	if err := poison(t.Context(), w, all[1].String()); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Second)
	if n, err := w.Operations.Resolve(t.Context()); n != 6 || pg.Violated(err) == "" {
		t.Errorf("asked about %d, %v", n, err)
	}
	want := []charge.Status{charge.Captured, charge.Processing, charge.Captured, charge.Captured, charge.Processing,
		charge.Processing}
	for i, id := range all {
		if c := get(t, w, id); c.Status != want[i] {
			t.Errorf("charge %d is %s, want %s", i, c.Status, want[i])
		}
	}
}

func TestOutcomeThatCannotBeWrittenIsUnknown(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.authorize = func(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
		return processor.Answer{Approved: true}, poison(ctx, w, a.Reference)
	}
	if out := create(t, w, input(w, good, 100), claimOf(w, "k")); out.Object.Status != charge.Processing ||
		out.Object.Version != 1 {
		t.Errorf("%+v", out)
	}
}

func TestWaitThatCannotBeWrittenIsNoRefusal(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	rename := func(from, to string) {
		if _, err := pg.Exec(t.Context(), w.Pool, `ALTER TABLE processor_operations RENAME COLUMN `+from+` TO `+to,
			pg.Args{}); err != nil {
			t.Error(err)
		}
	}
	p.authorize = func(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
		answer, err := p.lose(ctx, a)
		rename("next_check_at", "away")
		return answer, err
	}
	out := create(t, w, input(w, good, 100), nil)
	rename("away", "next_check_at")
	w.Clock.Advance(3 * time.Second)
	resolve(t, w, 1)
	if c := get(t, w, out.Object.ID); out.Object.Status != charge.Processing || c.Status != charge.Captured {
		t.Errorf("told %s, became %s", out.Object.Status, c.Status)
	}
	audit(t, w)
}

func TestTimeOutCardOfTheSandbox(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := create(t, w, input(w, "4000000000005423", 100), claimOf(w, "k")).Object
	for range 30 {
		w.Clock.Advance(time.Second)
		if _, err := w.Operations.Resolve(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := get(t, w, c.ID); c.Status != charge.Processing || got.Status != charge.Captured {
		t.Errorf("%s, then %s", c.Status, got.Status)
	}
	audit(t, w)
}
