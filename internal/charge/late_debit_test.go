package charge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/testing/fixture"
)

// slowBank is the sandbox's processor, from which no answer to a debit arrives, which hides what it did for a while,
// and whose debits are with the bank at once: it voids none.
type slowBank struct {
	*sandbox.Processor
	hides, deaf atomic.Bool
	refunds     atomic.Int32
}

func (p *slowBank) Debit(ctx context.Context, d processor.Debit) (processor.Answer, error) {
	_, err := p.Processor.Debit(ctx, d)
	return processor.Answer{}, errors.Join(err, errors.New("the answer was lost"))
}

func (p *slowBank) Lookup(ctx context.Context, account processor.Account, reference string) (processor.Answer, error) {
	if p.hides.Load() {
		return processor.Answer{}, processor.ErrNotFound
	}
	return p.Processor.Lookup(ctx, account, reference)
}

func (p *slowBank) Void(context.Context, processor.FollowUp) (processor.Answer, error) {
	return processor.Answer{DeclineCode: "already_settled"}, nil
}

func (p *slowBank) Refund(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	p.refunds.Add(1)
	if p.deaf.Load() {
		return processor.Answer{}, errors.New("the connection was refused")
	}
	return p.Processor.Refund(ctx, f)
}

// lateDebit is a debit that was given up.
type lateDebit struct {
	*fixture.World
	p *slowBank
	c charge.Charge
}

func givenUp(t *testing.T) lateDebit {
	t.Helper()
	return givenUpAt(t, 0)
}

// givenUpAt is a debit that was made so much later than now.
func givenUpAt(t *testing.T, later time.Duration) lateDebit {
	t.Helper()
	p := &slowBank{}
	p.hides.Store(true)
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		p.Processor = inner
		return p
	})
	w.Clock.Advance(later)
	c := debit(t, w, 10_000, nil)
	w.Clock.Advance(p.SettleWindow() + time.Second)
	resolve(t, w, 1)
	if c = get(t, w, c.ID); c.Status != charge.Failed || c.Failure.Code != "not_submitted" {
		t.Fatalf("%s", jsonOf(t, c))
	}
	return lateDebit{w, p, c}
}

// found has the debit turn up.
func (d lateDebit) found(t *testing.T) {
	t.Helper()
	d.p.hides.Store(false)
	d.Clock.Advance(2 * time.Minute)
	resolve(t, d.World, 1)
}

// comesBack has the bank send the debit back, and the processor tell it twice.
func (d lateDebit) comesBack(t *testing.T, returnCode string) {
	t.Helper()
	for range 2 {
		if err := d.Charges.Return(t.Context(), heard(d.c, returnCode)); err != nil {
			t.Fatal(err)
		}
	}
}

func (d lateDebit) repeats(t *testing.T, want int) {
	t.Helper()
	if n, err := d.Charges.RepeatReversals(t.Context()); err != nil || n != want {
		t.Errorf("%d reversals were made again, %v; want %d", n, err, want)
	}
}

// ends compares the charge with what it should have come to, and looks that nothing of it is in the books.
func (d lateDebit) ends(t *testing.T, version int, returnCode, message string) {
	t.Helper()
	c := get(t, d.World, d.c.ID)
	if told := c.ReturnCode; c.Status != charge.Failed || c.Failure.Code != "not_submitted" || c.Version != version ||
		!strings.Contains(c.Failure.Message, message) ||
		(told == nil) != (returnCode == "") || told != nil && *told != returnCode {
		t.Errorf("%s", jsonOf(t, c))
	}
	if n := count(t, d.World, "ledger_entries", pg.Args{}) + count(t, d.World, "fee_events", pg.Args{}); n != 0 {
		t.Errorf("%d rows in the books", n)
	}
	if n := count(t, d.World, "events WHERE object_id = @id AND type = 'charge.updated'",
		pg.Args{"id": d.c.ID}); n != version-2 {
		t.Errorf("%d events tell of version %d", n, version)
	}
}

// At whatever hour the debit was made, it is refunded from the midnight on when it has settled.
func TestLateDebitIsRefundedWhenItHasSettled(t *testing.T) {
	t.Parallel()
	for later := time.Duration(0); later < 24*time.Hour; later += 6 * time.Hour {
		t.Run(fmt.Sprint("after ", later), func(t *testing.T) {
			t.Parallel()
			refundsWhenSettled(t, later)
		})
	}
}

func refundsWhenSettled(t *testing.T, later time.Duration) {
	d := givenUpAt(t, later)
	d.found(t)
	due := calendar.US.AddBusinessDays(charge.BatchedAt(d.Clock.Now()), 4)
	d.Clock.Advance(due.Sub(d.Clock.Now()) - time.Millisecond)
	d.repeats(t, 0)
	if n := d.p.refunds.Load(); n != 0 {
		t.Errorf("%d refunds of what may still come back", n)
	}
	d.Clock.Advance(time.Millisecond)
	d.repeats(t, 1)
	d.repeats(t, 0)
	if n := d.p.refunds.Load(); n != 1 {
		t.Errorf("%d refunds", n)
	}
	d.ends(t, 3, "", "reversed")
	d.comesBack(t, "R10") // long after it settled
	d.ends(t, 4, "R10", "reversed")
}

// A refund that cannot be opened holds up none of those after it.
func TestLateDebitIsRefundedBesideOneThatCannotBe(t *testing.T) {
	t.Parallel()
	d := givenUp(t)
	d.p.hides.Store(true)
	other := lateDebit{d.World, d.p, debit(t, d.World, 5_000, nil)}
	d.Clock.Advance(d.p.SettleWindow() + time.Second)
	resolve(t, d.World, 1)
	d.p.hides.Store(false)
	d.Clock.Advance(2 * time.Minute)
	resolve(t, d.World, 2)
	d.Clock.Advance(30 * 24 * time.Hour)
	execute(t, d.World, `
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END';
		CREATE TRIGGER refuse BEFORE INSERT ON processor_operations FOR EACH ROW
			WHEN (NEW.amount = 10000) EXECUTE FUNCTION refuse()`)
	if n, err := d.Charges.RepeatReversals(t.Context()); err == nil || n != 1 {
		t.Errorf("%d reversals were made again, %v", n, err)
	}
	other.ends(t, 3, "", "reversed")
	execute(t, d.World, `DROP TRIGGER refuse ON processor_operations`)
	d.repeats(t, 1)
	d.ends(t, 3, "", "reversed")
	if n := d.p.refunds.Load(); n != 2 {
		t.Errorf("%d refunds", n)
	}
}

// What the bank sends back is not refunded, whenever we hear of it.
func TestLateDebitThatComesBackIsNotRefunded(t *testing.T) {
	t.Parallel()
	for name, when := range map[string]func(t *testing.T, d lateDebit){
		"before it is found": func(t *testing.T, d lateDebit) {
			d.comesBack(t, "R02")
			d.found(t)
			if n := count(t, d.World, "processor_operations WHERE kind = 'reverse'", pg.Args{}); n != 0 {
				t.Errorf("%d reversals", n)
			}
		},
		"before it has settled": func(t *testing.T, d lateDebit) {
			d.found(t)
			d.comesBack(t, "R02")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := givenUp(t)
			when(t, d)
			d.Clock.Advance(30 * 24 * time.Hour)
			d.repeats(t, 0)
			if n := d.p.refunds.Load(); n != 0 {
				t.Errorf("%d refunds", n)
			}
			d.ends(t, 3, "R02", "account closed")
			_, err := d.Charges.Create(t.Context(), d.Actor(),
				charge.CreateInput{MerchantID: &d.c.MerchantID, Amount: ptr(money.Amount(5)),
					Token: ptr(d.c.Token.String())}, nil)
			if code(err) != "token_disabled" {
				t.Errorf("an account that is closed can be debited again: %v", err)
			}
		})
	}
}

// A refund that did not arrive is not made again if the bank has sent the debit back in the meantime.
func TestLateDebitThatComesBackWhileItsRefundIsLost(t *testing.T) {
	t.Parallel()
	d := givenUp(t)
	d.found(t)
	d.p.deaf.Store(true)
	d.Clock.Advance(12 * 24 * time.Hour)
	d.repeats(t, 1)
	d.Clock.Advance(d.p.SettleWindow() + time.Second)
	resolve(t, d.World, 1)
	d.comesBack(t, "R01")
	d.p.deaf.Store(false)
	d.Clock.Advance(25 * time.Hour)
	resolve(t, d.World, 1)
	d.repeats(t, 0)
	d.repeats(t, 0)
	if n := d.p.refunds.Load(); n != 1 {
		t.Errorf("%d refunds were sent", n)
	}
	d.ends(t, 3, "R01", "insufficient funds")
}
