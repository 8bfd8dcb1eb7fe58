// Package sandbox is a card processor for trying things out: deterministic by card number, with a
// book of its own that survives a restart. It is a counterparty like any other: it sees only what
// the port shows it and shares no transaction with the service.
package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
)

const (
	// hangFor is how long the call of a card that times out takes before it fails.
	hangFor = time.Second
	// lateBy is when, after the call, the outcome of such a card can be looked up.
	lateBy = 3 * time.Second
	// settleWindow must exceed processor.CallTimeout: until then a submission may be on its way.
	settleWindow = 25 * time.Second
)

// ErrNoAnswer is what the card that times out gets.
var ErrNoAnswer = errors.New("sandbox: the connection was lost before an answer came")

// Processor is the sandbox's card processor.
type Processor struct {
	pool  *pgxpool.Pool
	now   func() time.Time
	cases map[string]Case
}

// New makes the processor over its own tables.
func New(pool *pgxpool.Pool, now func() time.Time) *Processor {
	cases := make(map[string]Case)
	for _, c := range Cases() {
		cases[c.Number] = c
	}
	return &Processor{pool: pool, now: now, cases: cases}
}

// Name implements processor.Processor.
func (p *Processor) Name() string { return "sandbox" }

// SettleWindow implements processor.Processor.
func (p *Processor) SettleWindow() time.Duration { return settleWindow }

// Profile implements processor.Processor: every sandbox card is a US credit card.
func (p *Processor) Profile(context.Context, string) (processor.Profile, error) {
	return processor.Profile{Funding: "credit", Country: "US"}, nil
}

// Authorize implements processor.Processor. Each submission is written down, a repeated
// reference too: this processor does not deduplicate.
func (p *Processor) Authorize(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	c := p.cases[a.Card.PAN.Reveal()]
	answer := p.decide(c, a)
	visible := p.now()
	if c.TimesOut {
		visible = visible.Add(lateBy)
	}
	err := p.write(ctx, entry{kind: "authorize", reference: a.Reference, account: a.Account, amount: a.Amount, currency: a.Currency,
		captured: a.Capture && answer.Approved, last4: a.Card.PAN.Last4(), answer: answer, visible: visible})
	if err != nil {
		return processor.Answer{}, err
	}
	if !c.TimesOut {
		return answer, nil
	}
	select {
	case <-ctx.Done():
		return processor.Answer{}, ctx.Err()
	case <-time.After(hangFor):
		return processor.Answer{}, ErrNoAnswer
	}
}

func (p *Processor) decide(c Case, a processor.Authorization) processor.Answer {
	answer := processor.Answer{Checks: processor.Checks{
		CVC:          submitted(!a.Card.CVC.IsZero()),
		AddressLine1: submitted(a.Card.Line1 != ""),
		AddressZip:   submitted(a.Card.Zip != ""),
	}}
	if c.Check != nil {
		c.Check(&answer.Checks)
	}
	switch now := p.now(); {
	case c.Decline != "":
		answer.DeclineCode = c.Decline
		if c.Decline == "incorrect_cvc" {
			answer.Checks.CVC = failed(answer.Checks.CVC)
		}
	case a.Card.ExpYear < now.Year() || (a.Card.ExpYear == now.Year() && a.Card.ExpMonth < int(now.Month())):
		answer.DeclineCode = "expired_card"
	default:
		answer.Approved = true
		answer.NetworkTransactionID = networkTransactionID(now)
	}
	return answer
}

func submitted(given bool) processor.CheckResult {
	if given {
		return processor.Pass
	}
	return processor.Unavailable
}

// networkTransactionID looks like a card network's: 15 characters, unique.
func networkTransactionID(now time.Time) string {
	text := ids.NewOperation(now).String()
	return text[len(text)-15:]
}

// entry is one line of the book.
type entry struct {
	kind, reference, original, account string
	amount                             money.Amount
	currency                           money.Currency
	captured                           bool
	last4                              string
	answer                             processor.Answer
	visible                            time.Time
}

func (p *Processor) write(ctx context.Context, e entry) error {
	text, err := json.Marshal(e.answer)
	if err != nil {
		return err
	}
	_, err = pg.Exec(ctx, p.pool, `
		INSERT INTO sandbox_processor_book (kind, reference, original, account, amount, currency, captured, last4, answer, visible_at, created_at)
		VALUES (@kind, @reference, @original, @account, @amount, @currency, @captured, @last4, @answer, @visible, @now)`,
		pg.Args{"kind": e.kind, "reference": e.reference, "original": e.original, "account": e.account, "amount": e.amount,
			"currency": e.currency, "captured": e.captured, "last4": e.last4, "answer": text, "visible": e.visible, "now": p.now()})
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	return nil
}

// Lookup implements processor.Processor.
func (p *Processor) Lookup(ctx context.Context, reference string) (processor.Answer, error) {
	text, err := pg.Value[[]byte](ctx, p.pool, `
		SELECT answer FROM sandbox_processor_book
		WHERE reference = @reference AND visible_at <= @now ORDER BY id LIMIT 1`,
		pg.Args{"reference": reference, "now": p.now()})
	if errors.Is(err, pg.ErrNone) {
		return processor.Answer{}, processor.ErrNotFound
	}
	if err != nil {
		return processor.Answer{}, fmt.Errorf("sandbox: %w", err)
	}
	var answer processor.Answer
	return answer, json.Unmarshal(text, &answer)
}
