package sandbox

import (
	"context"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/platform/notice"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/kit"
)

// Messages implements provider.Provider. Events that are due by their account's clock enter the feed first.
func (p *Provider) Messages(ctx context.Context, after string, limit int) ([]notice.Message, error) {
	cursor, err := kit.Cursor(after)
	if err != nil {
		return nil, err
	}
	if _, err := p.emit(ctx, limit); err != nil {
		return nil, err
	}
	rows, err := pg.All[row](ctx, p.pool, `
		SELECT id, account, at, kind, reference, tracking_id FROM sandbox_daf_feed WHERE id > @after
			ORDER BY id LIMIT @limit`,
		pg.Args{"after": cursor, "limit": limit})
	if err != nil {
		return nil, wrapped(err)
	}
	messages := make([]notice.Message, len(rows))
	for i, r := range rows {
		if messages[i], err = Report(r.event()); err != nil {
			return nil, err
		}
	}
	return messages, nil
}

// row is a row of the feed.
type row struct {
	ID         int64              `db:"id"`
	Account    string             `db:"account"`
	At         time.Time          `db:"at"`
	Kind       provider.EventKind `db:"kind"`
	Reference  string             `db:"reference"`
	TrackingID string             `db:"tracking_id"`
}

func (r row) event() provider.Event {
	return provider.Event{ID: kit.EventID(r.ID), Kind: r.Kind, Account: r.Account, Reference: r.Reference,
		TrackingID: r.TrackingID, At: r.At.UTC()}
}

// emit moves up to limit rows that are due from the schedule into the feed, and says how many.
func (p *Provider) emit(ctx context.Context, limit int) (int64, error) {
	firsts, err := pg.All[kit.First](ctx, p.pool, `
		SELECT account, min(due_at) AS first FROM sandbox_daf_schedule GROUP BY account`, pg.Args{})
	if err != nil {
		return 0, wrapped(err)
	}
	n, err := p.timeOf.Emit(ctx, p.pool, firsts, func(tx *pg.Tx, accounts []string, nows []time.Time) (int64, error) {
		last, err := pg.Value[int64](ctx, tx, `SELECT last FROM sandbox_daf_state FOR UPDATE`, pg.Args{})
		if err != nil {
			return 0, err
		}
		n, err := tx.Exec(ctx, `
			WITH due AS (
				SELECT s.id FROM sandbox_daf_schedule s
					JOIN unnest(@accounts::text[], @nows::timestamptz[]) AS c (account, now) ON s.account = c.account
				WHERE s.due_at <= c.now ORDER BY s.due_at, s.id LIMIT @limit FOR UPDATE OF s
			), gone AS (
				DELETE FROM sandbox_daf_schedule s USING due WHERE s.id = due.id
					RETURNING s.id, s.account, s.due_at, s.kind, s.reference
			), known AS (
				UPDATE sandbox_daf_grants g SET state = gone.kind FROM gone WHERE g.reference = gone.reference
				RETURNING gone.id, gone.account, gone.due_at, gone.kind, g.reference, g.tracking_id
			)
			INSERT INTO sandbox_daf_feed (id, account, at, kind, reference, tracking_id, notify_at)
			SELECT @last + row_number() OVER (ORDER BY due_at, id), account, due_at, kind, reference, tracking_id, @now
				FROM known`,
			pg.Args{"accounts": accounts, "nows": nows, "limit": limit, "last": last, "now": p.machine()})
		if err != nil {
			return 0, err
		}
		tx.Later(`UPDATE sandbox_daf_state SET last = last + @n`, pg.Args{"n": n})
		return n, nil
	})
	return n, wrapped(err)
}

// NextDue is the earliest time later than after, by their own clocks, at which the feed has something new for the
// accounts with that prefix (see processor.AccountPrefix); nil if nothing is coming.
func (p *Provider) NextDue(ctx context.Context, accountPrefix string, after time.Time) (*time.Time, error) {
	next, err := pg.OrNil(pg.Value[time.Time](ctx, p.pool, `
		SELECT due_at FROM sandbox_daf_schedule WHERE starts_with(account, @prefix) AND due_at > @after
		ORDER BY due_at LIMIT 1`, pg.Args{"prefix": accountPrefix, "after": after}))
	return next, wrapped(err)
}
