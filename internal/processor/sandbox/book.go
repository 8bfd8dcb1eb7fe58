package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sandbox/kit"
)

// line is one submission as the book keeps it.
type line struct {
	kind, reference string
	original        *string // of a follow-up: the reference of the authorization or debit; of a response: the dispute
	account         string
	amount          money.Amount
	currency        money.Currency
	captured        bool
	last4, testCase string
	answer          processor.Answer
	visible, now    time.Time // the machine's
	at              time.Time // the account's
}

const insertLine = `
	INSERT INTO sandbox_processor_book (processor, kind, reference, original, account, amount, currency,
		captured, approved, last4, test_case, answer, visible_at, account_at, created_at)
	VALUES (@processor, @kind, @reference, @original, @account, @amount, @currency, @captured, @approved,
		@last4, @test_case, @answer, @visible, @at, @now)`

// args are those of [insertLine].
func (p *Processor) args(l line) pg.Args {
	return pg.Args{"processor": p.name, "kind": l.kind, "reference": l.reference, "original": l.original,
		"account": l.account,
		"amount":  l.amount, "currency": l.currency, "captured": l.captured, "approved": l.answer.Approved,
		"last4":     l.last4,
		"test_case": l.testCase, "answer": l.answer, "visible": l.visible, "at": l.at, "now": l.now}
}

// Lookup implements processor.Processor. Of a repeated reference the first line answers.
func (p *Processor) Lookup(ctx context.Context, account processor.Account, reference string) (processor.Answer, error) {
	type row struct {
		Answer    processor.Answer `db:"answer"`
		VisibleAt time.Time        `db:"visible_at"`
	}
	first, err := pg.One[row](ctx, p.pool, `
		SELECT answer, visible_at FROM sandbox_processor_book
		WHERE processor = @processor AND reference = @reference AND account = @account ORDER BY id LIMIT 1`,
		pg.Args{"processor": p.name, "reference": reference, "account": account.External})
	if errors.Is(err, pg.ErrNone) {
		return processor.Answer{}, processor.ErrNotFound
	}
	if err != nil {
		return processor.Answer{}, fmt.Errorf("sandbox: %w", err)
	}
	if first.VisibleAt.After(p.machine()) {
		return processor.Answer{}, processor.ErrNotFound
	}
	return first.Answer, nil
}

// Book implements processor.Processor.
func (p *Processor) Book(ctx context.Context, after int64, limit int) ([]processor.BookLine, error) {
	type row struct {
		processor.BookLine
		CreatedAt time.Time
	}
	rows, err := pg.All[row](ctx, p.pool, `
		SELECT id AS number, reference, kind, account, amount, currency, approved, account_at AS at, created_at
		FROM sandbox_processor_book WHERE processor = @processor AND id > @after ORDER BY id LIMIT @limit`,
		pg.Args{"processor": p.name, "after": after, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	rows = kit.Written(rows, p.machine(), func(r row) time.Time { return r.CreatedAt })
	lines := make([]processor.BookLine, len(rows))
	for i, r := range rows {
		lines[i] = r.BookLine
	}
	return lines, nil
}
