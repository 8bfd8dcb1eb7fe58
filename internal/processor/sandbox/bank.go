package sandbox

import (
	"context"
	"fmt"
	"time"

	"svcpay/internal/processor"
)

// Debit implements processor.Processor.
func (p *Processor) Debit(ctx context.Context, d processor.Debit) (processor.Answer, error) {
	c := p.cases.debits[accountOf(d.Bank)]
	l := line{kind: "debit", reference: d.Reference, account: d.Account.External, amount: d.Amount,
		currency: d.Currency}
	return p.submit(ctx, l, c, d.Bank, func(l line) ([]due, error) {
		if c.Return == "" {
			return nil, nil
		}
		batched, err := batchAt(d.Bank.Scheme, l.at)
		if err != nil {
			return nil, err
		}
		return returning(nil, l, batched, processor.DebitReturned, c, d.Bank)
	})
}

// Payout implements processor.Processor.
func (p *Processor) Payout(ctx context.Context, out processor.Payout) (processor.Answer, error) {
	c := p.cases.payout[accountOf(out.Bank)]
	l := line{kind: "payout", reference: out.Reference, account: out.Account.External, amount: out.Amount,
		currency: out.Currency}
	return p.submit(ctx, l, c, out.Bank, func(l line) ([]due, error) {
		if c.Return != "" && c.ReturnAfter <= terms.PayoutDays {
			return returning(nil, l, l.at, processor.PayoutFailed, c, out.Bank)
		}
		at, err := businessDays(out.Bank.Scheme, l.at, terms.PayoutDays)
		if err != nil {
			return nil, err
		}
		next := []due{{Account: l.account, DueAt: at, Kind: processor.PayoutPaid, Reference: l.reference}}
		if c.Return == "" {
			return next, nil
		}
		return returning(next, l, l.at, processor.PayoutReturned, c, out.Bank)
	})
}

// submit writes the line of a debit or payout, with what will come of it if it is accepted.
func (p *Processor) submit(ctx context.Context, l line, c Case, bank processor.Bank,
	next func(line) ([]due, error)) (processor.Answer, error) {
	var err error
	if l.at, err = p.timeOf(ctx, l.account); err != nil {
		return processor.Answer{}, fmt.Errorf("sandbox: %w", err)
	}
	l.now, l.visible = p.machine(), p.visibleAt(c.TimesOut)
	l.last4, l.testCase = bank.Number.Last4(), c.Name
	var coming []due
	if l.decline(c.Decline) {
		if coming, err = next(l); err != nil {
			return processor.Answer{}, err
		}
	}
	if err := p.write(ctx, l, coming); err != nil {
		return processor.Answer{}, err
	}
	return tell(ctx, l.answer, c.TimesOut)
}

// returning adds that a case's debit or payout comes back, some business days after it went to the bank.
func returning(next []due, l line, from time.Time, kind processor.EventKind, c Case,
	bank processor.Bank) ([]due, error) {
	at, err := businessDays(bank.Scheme, from, c.ReturnAfter)
	if err != nil {
		return nil, err
	}
	return append(next, due{Account: l.account, DueAt: at, Kind: kind, Reference: l.reference, ReturnCode: c.Return}),
		nil
}
