package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/oklog/ulid/v2"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

const (
	// FoldLag is how old an entry is before it goes into the totals: much longer than from the making
	// of its id to the commit of its transaction.
	FoldLag = 5 * time.Minute
	// foldBatch is how many entries one transaction folds, sumBatch how many one statement sums.
	foldBatch = 5_000
	sumBatch  = 50_000
)

// cutoff is up to where an application's entries are in its totals.
type cutoff struct {
	ApplicationID int64     `db:"application_id"`
	Through       ids.Entry `db:"through"`
}

// batch is a run of entries: up to and with Last, N of them.
type batch struct {
	Last ids.Entry `db:"last"`
	N    int       `db:"n"`
}

// nextBatch finds the run of at most so many entries after one id, up to another.
func nextBatch(ctx context.Context, q pg.Querier, applicationID int64, after, upTo [16]byte, most int) (batch, error) {
	return pg.One[batch](ctx, q, `
		WITH run AS (
			SELECT id FROM ledger_entries
			WHERE application_id = @application_id AND id > @after AND id <= @up_to ORDER BY id LIMIT @most
		)
		SELECT (SELECT id FROM run ORDER BY id DESC LIMIT 1) AS last, (SELECT count(*) FROM run)::int AS n`,
		pg.Args{"application_id": applicationID, "after": after, "up_to": upTo, "most": most})
}

// sidesBetween sums the entries after one id and up to another by account.
const sidesBetween = `
	SELECT e.application_id, e.merchant_id, side.account, e.currency, sum(side.amount)::bigint AS balance
	FROM ledger_entries e, LATERAL (VALUES (e.debit, e.amount), (e.credit, -e.amount)) AS side (account, amount)
	WHERE e.application_id = @application_id AND e.id > @after AND e.id <= @up_to
	GROUP BY e.application_id, e.merchant_id, side.account, e.currency`

// addTx adds the next entries to an application's totals. The caller holds the cut-off's row lock.
func addTx(ctx context.Context, tx *pg.Tx, applicationID int64, after, upTo [16]byte, most int) (batch, error) {
	b, err := nextBatch(ctx, tx, applicationID, after, upTo, most)
	if err != nil || b.N == 0 {
		return b, err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO ledger_totals AS t (application_id, merchant_id, account, currency, balance)
		`+sidesBetween+`
		ON CONFLICT (application_id, merchant_id, account, currency) DO UPDATE
			SET balance = t.balance + excluded.balance`,
		pg.Args{"application_id": applicationID, "after": after, "up_to": b.Last.Bytes()})
	return b, err
}

// Fold moves entries that are older than five minutes into the running totals of one application
// that has some, a batch at a time, and says how many. Totals and cut-off change together or not
// at all. Any number of binaries may run it at once: each takes another application.
func (s *Service) Fold(ctx context.Context) (int, error) {
	if _, err := pg.Exec(ctx, s.deps.Pool, `
		INSERT INTO ledger_cutoffs (application_id, through)
		SELECT id, '00000000-0000-0000-0000-000000000000' FROM applications a
		WHERE NOT EXISTS (SELECT FROM ledger_cutoffs c WHERE c.application_id = a.id)
		ON CONFLICT DO NOTHING`, pg.Args{}); err != nil {
		return 0, err
	}
	folded := 0
	err := pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) (err error) {
		folded, err = s.FoldTx(ctx, tx)
		return err
	})
	return folded, err
}

// FoldTx folds one batch of the application that is furthest behind and that no one else folds.
func (s *Service) FoldTx(ctx context.Context, tx *pg.Tx) (int, error) {
	upTo := firstOf(s.deps.Now().Add(-FoldLag))
	c, err := pg.One[cutoff](ctx, tx, `
		SELECT application_id, through FROM ledger_cutoffs c
		WHERE EXISTS (SELECT FROM ledger_entries e WHERE e.application_id = c.application_id AND e.id > c.through
			AND e.id <= @up_to)
		ORDER BY through LIMIT 1 FOR UPDATE SKIP LOCKED`, pg.Args{"up_to": upTo})
	if errors.Is(err, pg.ErrNone) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	b, err := addTx(ctx, tx, c.ApplicationID, c.Through.Bytes(), upTo, s.deps.FoldBatch)
	if err != nil || b.N == 0 {
		return 0, err
	}
	_, err = tx.Exec(ctx, `UPDATE ledger_cutoffs SET through = @through WHERE application_id = @application_id`,
		pg.Args{"application_id": c.ApplicationID, "through": b.Last})
	return b.N, err
}

// firstOf is the lowest id of a millisecond.
func firstOf(t time.Time) (id ulid.ULID) {
	_ = id.SetTime(ulid.Timestamp(t)) // it fails after the year 10889
	return id
}

// Rebuild computes an application's totals again from the entries up to its cut-off, in one
// transaction. It is what heals a difference that [Service.Compare] found.
func (s *Service) Rebuild(ctx context.Context, applicationID int64) error {
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		c, err := pg.One[cutoff](ctx, tx, `
			SELECT application_id, through FROM ledger_cutoffs WHERE application_id = @application_id FOR UPDATE`,
			pg.Args{"application_id": applicationID})
		if errors.Is(err, pg.ErrNone) {
			return nil // nothing was folded yet
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM ledger_totals WHERE application_id = @application_id`,
			pg.Args{"application_id": applicationID}); err != nil {
			return err
		}
		for after := (batch{N: s.deps.SumBatch}); after.N == s.deps.SumBatch; {
			after, err = addTx(ctx, tx, applicationID, after.Last.Bytes(), c.Through.Bytes(), s.deps.SumBatch)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
