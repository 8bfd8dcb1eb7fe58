package payout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// collectBatch is how many entries one statement adds up, puts into a payout or takes out of it: few enough, on a busy
// machine too, for the time-out of a statement, whatever the merchant has sold since its last payout.
const collectBatch = 2000

// settledFor is how old an entry is when it can no longer be in a transaction that is in progress: of
// those that are older, a run leaves none that a later one would have to look for.
const settledFor = 24 * time.Hour

// collected is a sum over entries. Amount is what the merchant is owed by them; Last the last of them.
type collected struct {
	Amount  money.Amount `db:"amount"`
	Entries int          `db:"entries"`
	Charges int          `db:"charges"`
	Refunds int          `db:"refunds"`
	From    time.Time    `db:"earliest"` // of no meaning without entries, like To
	To      time.Time    `db:"latest"`
	Last    ids.Entry    `db:"last"`
}

// add sums two collections, of which the second comes later.
func (c collected) add(more collected) collected {
	switch {
	case c.Entries == 0:
		return more
	case more.Entries == 0:
		return c
	}
	c.Amount += more.Amount
	c.Entries += more.Entries
	c.Charges += more.Charges
	c.Refunds += more.Refunds
	if more.From.Before(c.From) {
		c.From = more.From
	}
	if more.To.After(c.To) {
		c.To = more.To
	}
	c.Last = more.Last
	return c
}

// waiting selects the next entries that changed what the merchant can be paid and that no active payout
// holds. Payouts' own postings are not among them: they move what the others brought. The OFFSET has each be looked up
// separately: the planner knows too little of a table that the transaction fills to join the two.
const waiting = `
	WITH found AS MATERIALIZED (
		SELECT l.id, CASE WHEN l.debit = 'merchant_available' THEN -l.amount ELSE l.amount END AS amount, l.kind,
			l.created_at
		FROM ledger_entries l
		WHERE l.application_id = @application_id AND l.merchant_id = @merchant_id AND l.currency = @currency
			AND l.id > @after AND l.id <= @upto
			AND (l.debit = 'merchant_available' OR l.credit = 'merchant_available')
			AND l.kind NOT IN ('payout', 'payout_failed', 'payout_returned')
			AND NOT EXISTS (SELECT FROM payout_entries e
				WHERE e.application_id = l.application_id AND e.entry_id = l.id AND e.active OFFSET 0)
		ORDER BY l.id LIMIT @batch
	)`

// sums is what a collection is read from.
const sums = `
	SELECT coalesce(sum(amount), 0)::bigint AS amount, count(*)::int AS entries,
		(count(*) FILTER (WHERE kind IN ('capture', 'debit')))::int AS charges,
		(count(*) FILTER (WHERE kind = 'refund'))::int AS refunds,
		coalesce(min(created_at), 'epoch') AS earliest, coalesce(max(created_at), 'epoch') AS latest, (SELECT id
			FROM found ORDER BY id DESC LIMIT 1) AS last
	FROM found`

// planAnew has a statement planned for the tables as they are now: a plan that was kept from when
// payout_entries was small looks through all of it for each entry.
const planAnew = pgx.QueryExecModeDescribeExec

func summed(rows pgx.Rows, err error) (collected, error) {
	if err != nil {
		return collected{}, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[collected])
}

// inSteps adds up what step finds after one id, until it finds no whole batch.
func inSteps(args pg.Args, after [16]byte, step func() (collected, error)) (all collected, err error) {
	args["after"], args["batch"] = after, collectBatch
	for more := true; more; {
		next, err := step()
		if err != nil {
			return collected{}, fmt.Errorf("payout: collect: %w", err)
		}
		all, more = all.add(next), next.Entries == collectBatch
		args["after"] = all.Last.Bytes()
	}
	return all, nil
}

// alongIndexesTx has the transaction find each batch where the one before it ended. The planner would sort all that is
// left, for each batch again, where it takes that for little.
func alongIndexesTx(ctx context.Context, tx *pg.Tx) error {
	_, err := tx.Exec(ctx, `SELECT set_config('enable_sort', 'off', true)`, pg.Args{})
	return err
}

// lastID is above every id.
var lastID = [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// errOvertaken is returned when entries that were committed in the meantime left nothing to pay: the run is
// made again.
var errOvertaken = errors.New("payout: overtaken by other postings")

// collectTx writes p with all the entries that wait, and returns it with its amount and contents; an
// amount of 0 says that nothing was written, because the sum is not above 0. The caller holds the
// merchant.
func collectTx(ctx context.Context, tx *pg.Tx, m instant.Moment, owner merchant.Merchant, p Payout) (Payout, error) {
	floor, err := pg.Value[[16]byte](ctx, tx, `
		SELECT payout_floor FROM merchants WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": owner.ApplicationID, "id": owner.ID})
	if err == nil {
		err = alongIndexesTx(ctx, tx)
	}
	if err != nil {
		return Payout{}, err
	}
	args := pg.Args{"application_id": owner.ApplicationID, "merchant_id": owner.ID, "currency": owner.Currency,
		"upto": lastID}
	seen, err := inSteps(args, floor,
		func() (collected, error) { return summed(tx.Query(ctx, waiting+sums, planAnew, args)) })
	if err != nil || seen.Amount <= 0 {
		return Payout{}, err
	}
	insertTx(tx, p.of(seen), floor)
	if err := tx.Flush(ctx); err != nil {
		return Payout{}, err
	}
	args["upto"], args["payout_id"] = seen.Last.Bytes(), p.ID
	taken, err := inSteps(args, floor, func() (collected, error) {
		return summed(tx.Query(ctx, waiting+`, put AS (
			INSERT INTO payout_entries (application_id, payout_id, entry_id, active, amount)
			SELECT @application_id, @payout_id, id, true, amount FROM found
		)`+sums, planAnew, args))
	})
	if err != nil {
		return Payout{}, err
	}
	if taken.Amount <= 0 {
		return Payout{}, errOvertaken
	}
	p = p.of(taken)
	if taken.Entries != seen.Entries { // some were committed between the statements
		contentsTx(tx, p)
	}
	floorTx(tx, p, m)
	return p, nil
}

// of gives the payout the amount and the contents of a collection.
func (p Payout) of(c collected) Payout {
	p.Amount = c.Amount
	p.Contents = Contents{EntryCount: c.Entries, ChargeCount: c.Charges, RefundCount: c.Refunds,
		PeriodFrom: instant.Of(c.From), PeriodTo: instant.Of(c.To)}
	return p
}

// floorTx notes below which id the merchant's entries are all in active payouts, so that the next run
// need not look at them.
func floorTx(tx *pg.Tx, p Payout, m instant.Moment) {
	tx.Later(`
		UPDATE merchants SET payout_floor = greatest(payout_floor, @floor)
		WHERE application_id = @application_id AND id = @merchant_id`,
		pg.Args{"floor": ids.NewEntry(m.Machine.Add(-settledFor)), "application_id": p.ApplicationID,
			"merchant_id": p.MerchantID})
}

// releaseTx has a payout hold its entries no longer, a batch at a time: the next one collects them again.
func releaseTx(ctx context.Context, tx *pg.Tx, p Payout) error {
	if err := alongIndexesTx(ctx, tx); err != nil {
		return err
	}
	args := pg.Args{"application_id": p.ApplicationID, "payout_id": p.ID, "after": [16]byte{}, "upto": lastID,
		"batch": collectBatch}
	for more := true; more; {
		rows, err := tx.Query(ctx, `
			WITH step AS MATERIALIZED (
				SELECT entry_id FROM payout_entries
				WHERE application_id = @application_id AND payout_id = @payout_id AND entry_id > @after
				ORDER BY entry_id LIMIT 1 OFFSET @batch - 1
			), released AS (
				UPDATE payout_entries SET active = false
				WHERE application_id = @application_id AND payout_id = @payout_id AND active
					AND entry_id > @after AND entry_id <= coalesce((SELECT entry_id FROM step), @upto)
			)
			SELECT entry_id FROM step`, planAnew, args)
		if err != nil {
			return fmt.Errorf("payout: release: %w", err)
		}
		last, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
		if err != nil {
			return fmt.Errorf("payout: release: %w", err)
		}
		if more = len(last) > 0; more {
			args["after"] = last[0]
		}
	}
	tx.Later(`
		UPDATE merchants m SET payout_floor = least(m.payout_floor, p.entries_above)
		FROM payouts p
		WHERE p.application_id = @application_id AND p.id = @payout_id AND m.application_id = p.application_id
			AND m.id = p.merchant_id`,
		pg.Args{"application_id": p.ApplicationID, "payout_id": p.ID})
	return nil
}
