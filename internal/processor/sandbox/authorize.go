package sandbox

import (
	"context"
	"fmt"
	"time"

	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// Authorize implements processor.Processor. Each submission is written down, a repeated
// reference too: this processor does not deduplicate.
func (p *Processor) Authorize(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	now, err := p.timeOf(ctx, a.Account.External)
	if err != nil {
		return processor.Answer{}, fmt.Errorf("sandbox: %w", err)
	}
	c := p.cases.cards[a.Card.PAN.Reveal()]
	l := line{kind: "authorize", reference: a.Reference, account: a.Account.External, amount: a.Amount,
		currency: a.Currency, last4: a.Card.PAN.Last4(), testCase: c.Name, answer: p.decide(c, a, now),
		visible: p.visibleAt(c.TimesOut), at: now, now: p.machine()}
	l.captured = a.Capture && l.answer.Approved
	if err := p.write(ctx, l, p.disputes(c, l)); err != nil {
		return processor.Answer{}, err
	}
	return tell(ctx, l.answer, c.TimesOut)
}

// decide judges a card; now is the account's time.
func (p *Processor) decide(c Case, a processor.Authorization, now time.Time) processor.Answer {
	now = now.In(instant.LastZone) // where the card's month ends last
	answer := processor.Answer{Checks: processor.Checks{
		CVC:          submitted(!a.Card.CVC.IsZero()),
		AddressLine1: submitted(a.Card.Line1 != ""),
		AddressZip:   submitted(a.Card.Zip != ""),
	}}
	if c.Check != nil {
		c.Check(&answer.Checks)
	}
	switch {
	case c.Decline != "":
		answer.DeclineCode = c.Decline
		if c.Decline == "incorrect_cvc" {
			answer.Checks.CVC = failed(answer.Checks.CVC)
		}
	case a.Card.ExpYear < now.Year() || (a.Card.ExpYear == now.Year() && a.Card.ExpMonth < int(now.Month())):
		answer.DeclineCode = "expired_card"
	default:
		answer.Approved = true
		answer.NetworkTransactionID = unique(p.machine())
		answer.ExternalID, answer.AuthorizationCode = externalID(p.machine()), answer.NetworkTransactionID[:6]
	}
	answer.RawCode = answer.DeclineCode
	return answer
}

func submitted(given bool) processor.CheckResult {
	if given {
		return processor.Pass
	}
	return processor.Unavailable
}

// write writes a line and what it makes happen. A line alone is a single statement, which is all
// that nearly every authorization costs.
func (p *Processor) write(ctx context.Context, l line, next []due) error {
	var err error
	if len(next) == 0 {
		_, err = pg.Exec(ctx, p.pool, insertLine, p.args(l))
	} else {
		err = pg.InTx(ctx, p.pool, func(tx *pg.Tx) error {
			tx.Later(insertLine, p.args(l))
			p.scheduleTx(tx, next)
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	return nil
}
