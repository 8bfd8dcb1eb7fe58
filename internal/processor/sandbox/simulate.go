package sandbox

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// Simulation is something that a test wants to happen now.
type Simulation struct {
	Account processor.Account
	Kind    processor.EventKind
	// Reference is ours, of the charge, refund or payout that it happens to; "" where Dispute tells.
	Reference string
	// Dispute is the processor's id of one that was opened; "" for other events.
	Dispute string
	// ReturnCode is the scheme's, for a debit or payout that comes back.
	ReturnCode string
	// Retrieval, Reason and Amount describe a dispute to open. The reason defaults to the usual one,
	// an amount of 0 to all that was captured and is not disputed.
	Retrieval bool
	Reason    string
	Amount    money.Amount
	// Failure is why a refund fails.
	Failure processor.RefundFailure
}

// Simulate makes something happen now, instead of what the case of the number would bring; the feed
// reports it next. Only what can happen does: a payment, payout or dispute that the book of that
// account does not have is fault.Missing; a wrong return code is parameter_invalid; everything that
// its state forbids is simulation_not_possible.
func (p *Processor) Simulate(ctx context.Context, s Simulation) error {
	now, err := p.timeOf(ctx, s.Account.External)
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	err = pg.InTx(ctx, p.pool, func(tx *pg.Tx) error {
		switch s.Kind {
		case processor.ChargeSettled, processor.DebitReturned, processor.DisputeOpened:
			return p.simulatePaymentTx(ctx, tx, s, now)
		case processor.RefundFailed:
			return p.simulateRefundTx(ctx, tx, s, now)
		case processor.PayoutPaid, processor.PayoutFailed, processor.PayoutReturned:
			return p.simulatePayoutTx(ctx, tx, s, now)
		case processor.DisputeEscalated, processor.DisputeWon, processor.DisputeLost, processor.DisputeClosed:
			return p.simulateDisputeTx(ctx, tx, s, now)
		}
		return impossible("The sandbox cannot simulate this event.")
	})
	return pg.Or(err, fault.Missing())
}

func impossible(why string) *fault.Error {
	return fault.New(fault.KindConflict, "simulation_not_possible", why)
}

var returnCodes = map[money.Currency]*regexp.Regexp{
	money.USD: regexp.MustCompile(`^R[0-9]{2}$`),
	money.CAD: regexp.MustCompile(`^9[0-9]{2}$`),
}

// checkCode checks that a return code is one of the scheme that moves the currency.
func checkCode(code string, currency money.Currency) error {
	if pattern, ok := returnCodes[currency]; !ok || !pattern.MatchString(code) {
		return fault.Invalid("parameter_invalid",
			"A return code is R and two digits for US bank accounts, and 9 and two digits for Canadian ones.").On(
			"return_code")
	}
	return nil
}

func (p *Processor) simulatePaymentTx(ctx context.Context, tx *pg.Tx, s Simulation, now time.Time) error {
	pay, err := p.lockTx(ctx, tx, s.Account.External, s.Reference)
	if err != nil {
		return err
	}
	pending, err := p.pendingTx(ctx, tx, pay.Reference)
	if err != nil {
		return err
	}
	if pay, err = p.readTx(ctx, tx, s.Account.External, pay.Reference); err != nil {
		return err
	}
	next := []due{{Account: s.Account.External, DueAt: now, Kind: s.Kind, Reference: pay.Reference}}
	switch {
	case pay.taken() == 0:
		return impossible("Nothing was captured.")
	case pay.Returned:
		return impossible("The debit was returned already.")
	case s.Kind == processor.ChargeSettled && pay.Settled:
		return impossible("The charge settled already.")
	case s.Kind == processor.DebitReturned && pay.Kind != "debit":
		return impossible("Only a bank debit is returned. A card payment is disputed.")
	case s.Kind == processor.DisputeOpened && pay.Kind != "authorize":
		return impossible("Only a card payment is disputed. A bank debit is returned.")
	case s.Kind == processor.DebitReturned:
		if err := checkCode(s.ReturnCode, pay.Currency); err != nil {
			return err
		}
		next[0].ReturnCode = s.ReturnCode
	case s.Kind == processor.DisputeOpened:
		disputed, err := p.disputedTx(ctx, tx, pay.Reference)
		if err != nil {
			return err
		}
		if next, err = p.opened(s, pay, disputed, now); err != nil {
			return err
		}
	}
	if s.Kind != processor.DisputeOpened { // there may be several disputes, but one settlement or return
		dropTx(tx, ofKinds(pending, s.Kind))
	}
	p.scheduleTx(tx, next)
	return nil
}

// opened is the dispute that a simulation opens, of at most what was captured and is not disputed.
func (p *Processor) opened(s Simulation, pay payment, contested money.Amount, now time.Time) ([]due, error) {
	left := pay.taken() - contested
	if left <= 0 {
		return nil, impossible("All that was captured is disputed already, or will be.")
	}
	if s.Amount == 0 {
		s.Amount = left
	}
	if s.Amount < 0 || s.Amount > left {
		return nil, impossible("The amount is more than what was captured and is not disputed.").With("remaining", left)
	}
	return p.open(due{Account: s.Account.External, Reference: pay.Reference,
		disputed: disputed{Retrieval: s.Retrieval, Reason: s.Reason, Amount: s.Amount, Currency: pay.Currency}},
		now), nil
}

// ofKinds keeps only the events of some kinds. It reuses the slice: callers use the result alone.
func ofKinds(pending []due, kinds ...processor.EventKind) []due {
	return slices.DeleteFunc(pending, func(d due) bool { return !slices.Contains(kinds, d.Kind) })
}

func (p *Processor) simulatePayoutTx(ctx context.Context, tx *pg.Tx, s Simulation, now time.Time) error {
	type row struct {
		Currency money.Currency `db:"currency"`
		Approved bool           `db:"approved"`
	}
	out, err := pg.One[row](ctx, tx, `
		SELECT currency, approved FROM sandbox_processor_book
		WHERE processor = @processor AND reference = @reference AND account = @account AND kind = 'payout'
		ORDER BY id LIMIT 1 FOR UPDATE`,
		pg.Args{"processor": p.name, "reference": s.Reference, "account": s.Account.External})
	if err != nil {
		return err
	}
	pending, err := p.pendingTx(ctx, tx, s.Reference)
	if err != nil {
		return err
	}
	told, err := pg.Value[[]string](ctx, tx, `
		SELECT coalesce(array_agg(kind), '{}') FROM sandbox_processor_feed
		WHERE processor = @processor AND reference = @reference AND account = @account`,
		pg.Args{"processor": p.name, "reference": s.Reference, "account": s.Account.External})
	if err != nil {
		return err
	}
	is := func(k processor.EventKind) bool { return slices.Contains(told, string(k)) }
	switch {
	case !out.Approved:
		return impossible("The payout was not accepted.")
	case is(processor.PayoutFailed):
		return impossible("The payout failed already.")
	case is(processor.PayoutReturned):
		return impossible("The payout was returned already.")
	case s.Kind != processor.PayoutReturned && is(processor.PayoutPaid):
		return impossible("The payout was paid already.")
	case s.Kind == processor.PayoutReturned && !is(processor.PayoutPaid):
		return impossible("The payout is not paid yet.")
	}
	if s.Kind == processor.PayoutPaid {
		s.ReturnCode = ""
		pending = ofKinds(pending, processor.PayoutPaid, processor.PayoutFailed) // one that will be returned still will
	} else if err := checkCode(s.ReturnCode, out.Currency); err != nil {
		return err
	}
	dropTx(tx, pending)
	p.scheduleTx(tx,
		[]due{{Account: s.Account.External, DueAt: now, Kind: s.Kind, Reference: s.Reference,
			ReturnCode: s.ReturnCode}})
	return nil
}

func (p *Processor) simulateDisputeTx(ctx context.Context, tx *pg.Tx, s Simulation, now time.Time) error {
	d, pending, err := p.disputeTx(ctx, tx, s.Account.External, s.Dispute)
	if err != nil {
		return err
	}
	retrieval := s.Kind == processor.DisputeEscalated || s.Kind == processor.DisputeClosed
	switch {
	case len(pending) == 0:
		return impossible("The dispute has ended.")
	case retrieval && !d.Retrieval:
		return impossible("Only a retrieval is closed or escalated, and this is a chargeback.")
	case !retrieval && d.Retrieval:
		return impossible("Only a chargeback is won or lost, and this is a retrieval.")
	case s.Kind == processor.DisputeWon && pending[0].Deadline:
		return impossible("A dispute that was not answered cannot be won.")
	}
	d.Kind, d.DueAt = s.Kind, now
	next := []due{d}
	if s.Kind == processor.DisputeEscalated {
		next = d.escalate(now)
	}
	dropTx(tx, pending)
	p.scheduleTx(tx, next)
	return nil
}
