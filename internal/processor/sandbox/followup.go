package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sandbox/kit"
)

// Capture implements processor.Processor.
func (p *Processor) Capture(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.follow(ctx, f, "capture", func(_ context.Context, tx *pg.Tx, pay payment, l *line) error {
		c := p.cases.names[pay.TestCase]
		l.captured = l.decline(pay.capture(f, l.at))
		l.lost(c.CaptureTimesOut)
		if l.captured {
			p.scheduleTx(tx, p.disputes(c, *l))
		}
		return nil
	})
}

// Void implements processor.Processor. A debit that is taken back comes to no other end.
func (p *Processor) Void(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.follow(ctx, f, "void", func(ctx context.Context, tx *pg.Tx, pay payment, l *line) error {
		pending, err := p.pendingTx(ctx, tx, pay.Reference)
		if err != nil {
			return err
		}
		// An event of it that left the schedule until then is seen now.
		if pay, err = p.readTx(ctx, tx, pay.Account, pay.Reference); err != nil {
			return err
		}
		if l.decline(pay.void(f)) {
			dropTx(tx, pending)
		}
		return nil
	})
}

// Refund implements processor.Processor.
func (p *Processor) Refund(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.follow(ctx, f, "refund", func(_ context.Context, tx *pg.Tx, pay payment, l *line) error {
		c, code := p.cases.names[pay.TestCase], pay.refund(f)
		if code == "" {
			code = c.RefundDecline
		}
		if l.decline(code) && c.RefundFails != "" {
			p.scheduleTx(tx, []due{failing(*l, c.RefundFails, l.at.Add(refundFailsAfter))})
		}
		l.lost(c.RefundTimesOut)
		return nil
	})
}

// decline sets the answer, an approval if the code is "", and reports whether it is one.
func (l *line) decline(code string) (approved bool) {
	l.answer = processor.Answer{Approved: code == "", DeclineCode: code, RawCode: code}
	if l.answer.Approved {
		l.answer.ExternalID = externalID(l.now)
	}
	return l.answer.Approved
}

// lost makes the answer one that the caller does not hear.
func (l *line) lost(yes bool) {
	if yes {
		l.visible = l.now.Add(kit.LateBy)
	}
}

// follow makes a call about an earlier payment, which is locked so that calls about it take turns.
// A payment that the book does not have, or not for this account, is a decline.
func (p *Processor) follow(ctx context.Context, f processor.FollowUp, kind string,
	judge func(ctx context.Context, tx *pg.Tx, pay payment, l *line) error) (processor.Answer, error) {
	at, err := p.timeOf(ctx, f.Account.External)
	if err != nil {
		return processor.Answer{}, fmt.Errorf("sandbox: %w", err)
	}
	var l line
	err = pg.InTx(ctx, p.pool, func(tx *pg.Tx) error {
		now := p.machine()
		l = line{kind: kind, reference: f.Reference, original: &f.Original, account: f.Account.External,
			amount: f.Amount, currency: f.Currency, visible: now, now: now, at: at}
		pay, err := p.lockTx(ctx, tx, f.Account.External, f.Original)
		switch {
		case errors.Is(err, pg.ErrNone):
			l.decline(noOriginal)
		case err != nil:
			return err
		case f.OriginalID != "" && !slices.Contains(pay.ExternalIDs, f.OriginalID):
			l.decline(noOriginal)
		default:
			l.original, l.testCase = &pay.Reference, pay.TestCase
			if err := judge(ctx, tx, pay, &l); err != nil {
				return err
			}
		}
		tx.Later(insertLine, p.args(l))
		return nil
	})
	if err != nil {
		return processor.Answer{}, fmt.Errorf("sandbox: %w", err)
	}
	return tell(ctx, l.answer, l.visible.After(l.now))
}

// lockTx locks the payment that a reference names, on its own or by its capture; pg.ErrNone if that
// account has none.
func (p *Processor) lockTx(ctx context.Context, tx *pg.Tx, account, reference string) (payment, error) {
	type row struct {
		Kind     string  `db:"kind"`
		Original *string `db:"original"`
	}
	args := pg.Args{"processor": p.name, "reference": reference, "account": account}
	const lock = `
		SELECT kind, original FROM sandbox_processor_book
		WHERE processor = @processor AND reference = @reference AND account = @account ORDER BY id LIMIT 1 FOR UPDATE`
	first, err := pg.One[row](ctx, tx, lock, args)
	if err != nil {
		return payment{}, err
	}
	if first.Kind == "capture" {
		reference = *first.Original
		args["reference"] = reference
		if first, err = pg.One[row](ctx, tx, lock, args); err != nil {
			return payment{}, err
		}
	}
	if first.Kind != "authorize" && first.Kind != "debit" {
		return payment{}, pg.ErrNone
	}
	return p.readTx(ctx, tx, account, reference)
}

// readTx reads a payment. What was done to it before it was locked is in it.
func (p *Processor) readTx(ctx context.Context, tx *pg.Tx, account, reference string) (payment, error) {
	return pg.One[payment](ctx, tx, `
		SELECT b.kind, b.reference, b.account, b.amount, b.currency, b.approved, b.captured, b.test_case, b.account_at,
			array_remove(ARRAY[b.answer->>'external_id'] || d.captures, NULL) AS external_ids, d.captured_later,
				d.refunded, d.voided, e.settled, e.returned
		FROM sandbox_processor_book b,
			LATERAL (SELECT coalesce(sum(f.amount) FILTER (WHERE f.kind = 'capture'), 0)::bigint AS captured_later,
				coalesce(sum(CASE f.kind WHEN 'refund' THEN f.amount WHEN 'refund_failed' THEN -f.amount END),
					0)::bigint AS refunded,
				array_agg(f.answer->>'external_id') FILTER (WHERE f.kind = 'capture') AS captures,
				coalesce(bool_or(f.kind = 'void'), false) AS voided
				FROM sandbox_processor_book f WHERE f.processor = b.processor AND f.original = b.reference
					AND f.approved) d,
			LATERAL (SELECT coalesce(bool_or(f.kind = 'charge_settled'), false) AS settled,
				coalesce(bool_or(f.kind = 'debit_returned'), false) AS returned
				FROM sandbox_processor_feed f WHERE f.processor = b.processor AND f.reference = b.reference) e
		WHERE b.processor = @processor AND b.reference = @reference AND b.account = @account ORDER BY b.id LIMIT 1`,
		pg.Args{"processor": p.name, "reference": reference, "account": account})
}
