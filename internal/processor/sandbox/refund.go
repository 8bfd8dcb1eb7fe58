package sandbox

import (
	"context"
	"slices"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// rawRefundFailures are this processor's own codes of why refunds fail.
var rawRefundFailures = map[processor.RefundFailure]string{
	processor.AccountClosed:     "expired_or_canceled_card",
	processor.LostOrStolenCard:  "lost_or_stolen_card",
	processor.ChargeDisputed:    "charge_for_pending_refund_disputed",
	processor.InsufficientFunds: "balance_insufficient",
	processor.BankRefused:       "declined",
}

// failing is the failure of an approved refund. Its reason and this processor's code of that are where other events
// have the reason of a dispute and a return code.
func failing(l line, why processor.RefundFailure, at time.Time) due {
	return due{Account: l.account, DueAt: at, Kind: processor.RefundFailed, Reference: l.reference,
		ReturnCode: rawRefundFailures[why],
		disputed:   disputed{Reason: string(why), Amount: l.amount, Currency: l.currency}}
}

// bookFailures is part of the statement that moves what is due into the feed: the book gets a line of each refund that
// fails then.
const bookFailures = `
	INSERT INTO sandbox_processor_book (processor, kind, reference, original, account, amount, currency,
		captured, approved, last4, test_case, answer, visible_at, account_at, created_at)
	SELECT @processor, 'refund_failed', r.reference, r.original, r.account, r.amount, r.currency, false, true,
		r.last4, r.test_case, r.answer, @now, g.due_at, @now
	FROM gone g CROSS JOIN LATERAL (SELECT * FROM sandbox_processor_book b
		WHERE b.processor = @processor AND b.reference = g.reference AND b.account = g.account AND b.kind = 'refund'
			AND b.approved
		ORDER BY b.id LIMIT 1) r
	WHERE g.kind = 'refund_failed' ORDER BY g.due_at, g.id`

// simulateRefundTx has a refund fail now that was approved and has not failed.
func (p *Processor) simulateRefundTx(ctx context.Context, tx *pg.Tx, s Simulation, now time.Time) error {
	type row struct {
		Amount   money.Amount   `db:"amount"`
		Currency money.Currency `db:"currency"`
		Approved bool           `db:"approved"`
		Failed   bool           `db:"failed"`
	}
	args := pg.Args{"processor": p.name, "reference": s.Reference, "account": s.Account.External}
	if _, err := pg.One[row](ctx, tx, selectRefund+` FOR UPDATE`, args); err != nil {
		return err
	}
	pending, err := p.pendingTx(ctx, tx, s.Reference)
	if err != nil {
		return err
	}
	r, err := pg.One[row](ctx, tx, selectRefund, args) // what left the schedule until then is seen now
	switch {
	case err != nil:
		return err
	case !r.Approved:
		return impossible("The refund was declined.")
	case r.Failed:
		return impossible("The refund failed already.")
	case !slices.Contains(processor.RefundFailures(), s.Failure):
		return impossible("The sandbox cannot simulate this failure.")
	}
	dropTx(tx, pending)
	l := line{reference: s.Reference, account: s.Account.External, amount: r.Amount, currency: r.Currency}
	p.scheduleTx(tx, []due{failing(l, s.Failure, now)})
	return nil
}

const selectRefund = `
	SELECT amount, currency, approved, EXISTS (SELECT FROM sandbox_processor_feed f
		WHERE f.processor = @processor AND f.reference = @reference AND f.kind = 'refund_failed') AS failed
	FROM sandbox_processor_book b
	WHERE processor = @processor AND reference = @reference AND account = @account AND kind = 'refund'
	ORDER BY id LIMIT 1`
