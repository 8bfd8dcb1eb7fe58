package sandbox

import (
	"context"
	"fmt"
	"time"

	"svcpay/internal/platform/notice"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sandbox/kit"
)

// Messages implements processor.Processor. Events that are due by their account's clock enter
// the feed first.
func (p *Processor) Messages(ctx context.Context, after string, limit int) ([]notice.Message, error) {
	cursor, err := kit.Cursor(after)
	if err != nil {
		return nil, err
	}
	// A reader who has a full page of old messages waiting needs no new ones.
	messages, err := p.read(ctx, cursor, limit)
	if err != nil || len(messages) == limit {
		return messages, err
	}
	if _, err := p.emit(ctx, limit); err != nil {
		return nil, err
	}
	return p.read(ctx, cursor, limit) // another reader may have emitted since the first read
}

// row is a row of the feed.
type row struct {
	ID         int64               `db:"id"`
	Kind       processor.EventKind `db:"kind"`
	Account    string              `db:"account"`
	Reference  string              `db:"reference"`
	ReturnCode string              `db:"return_code"`
	Settled    bool                `db:"settled"`
	At         time.Time           `db:"at"`
	disputed
}

func (r row) event() processor.Event {
	e := processor.Event{ID: kit.EventID(r.ID), Kind: r.Kind, Account: r.Account, Reference: r.Reference,
		ReturnCode: r.ReturnCode, Settled: r.Settled, Dispute: r.tell(), At: r.At}
	if r.Kind == processor.RefundFailed { // see failing
		e.ReturnCode, e.RawCode, e.Failure = "", r.ReturnCode, processor.RefundFailure(r.Reason)
	}
	return e
}

func (p *Processor) read(ctx context.Context, after int64, limit int) ([]notice.Message, error) {
	rows, err := pg.All[row](ctx, p.pool, `
		SELECT id, account, at, kind, reference, return_code, dispute, retrieval, reason, amount, currency, respond_by,
			kind = @returned AND EXISTS (SELECT FROM sandbox_processor_feed s
				WHERE s.processor = f.processor AND s.reference = f.reference AND s.kind = @settled
					AND s.id < f.id) AS settled
		FROM sandbox_processor_feed f WHERE processor = @processor AND id > @after ORDER BY id LIMIT @limit`,
		pg.Args{"processor": p.name, "after": after, "limit": limit,
			"returned": processor.DebitReturned, "settled": processor.ChargeSettled})
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	events := make([]processor.Event, len(rows))
	for i, r := range rows {
		events[i] = r.event()
	}
	return Reports(events)
}

// tell is the dispute as the port has it, nil if there is none.
func (n disputed) tell() *processor.DisputeNotice {
	if n.RespondBy == nil {
		return nil
	}
	return &processor.DisputeNotice{ID: n.Dispute, Retrieval: n.Retrieval, Reason: n.Reason,
		Amount: n.Amount, Currency: n.Currency, RespondBy: *n.RespondBy}
}

// emit moves up to limit rows that are due from the schedule into the feed, and says how many.
func (p *Processor) emit(ctx context.Context, limit int) (int64, error) {
	firsts, err := pg.All[kit.First](ctx, p.pool, `
		SELECT account, min(due_at) AS first FROM sandbox_processor_schedule WHERE processor = @processor
			GROUP BY account`,
		pg.Args{"processor": p.name})
	if err != nil {
		return 0, fmt.Errorf("sandbox: %w", err)
	}
	n, err := p.timeOf.Emit(ctx, p.pool, firsts, func(tx *pg.Tx, accounts []string, nows []time.Time) (int64, error) {
		last, err := pg.Value[int64](ctx, tx, `SELECT last FROM sandbox_processor_emission FOR UPDATE`, pg.Args{})
		if err != nil {
			return 0, err
		}
		n, err := tx.Exec(ctx, `
			WITH due AS (
				SELECT s.id FROM sandbox_processor_schedule s
					JOIN unnest(@accounts::text[], @nows::timestamptz[]) AS c (account, now) ON s.account = c.account
				WHERE s.processor = @processor AND s.due_at <= c.now ORDER BY s.due_at, s.id LIMIT @limit
					FOR UPDATE OF s
			), gone AS (
				DELETE FROM sandbox_processor_schedule s USING due WHERE s.id = due.id
				RETURNING s.id, s.account, s.due_at, s.kind, s.reference, s.return_code, s.dispute,
					s.retrieval, s.reason,
					s.amount, s.currency, s.respond_by
			), failed AS (`+bookFailures+`
			)
			INSERT INTO sandbox_processor_feed (id, processor, account, at, kind, reference, return_code,
				dispute, retrieval, reason, amount, currency, respond_by, notify_at)
			SELECT @last + row_number() OVER (ORDER BY due_at, id), @processor, account, due_at, kind, reference,
				return_code,
				dispute, retrieval, reason, amount, currency, respond_by, @now
			FROM gone`,
			pg.Args{"processor": p.name, "accounts": accounts, "nows": nows, "limit": limit, "last": last,
				"now": p.machine()})
		if err != nil {
			return 0, err
		}
		tx.Later(`UPDATE sandbox_processor_emission SET last = last + @n`, pg.Args{"n": n})
		return n, nil
	})
	if err != nil {
		return 0, fmt.Errorf("sandbox: %w", err)
	}
	return n, nil
}
