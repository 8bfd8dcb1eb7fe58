package totals

import (
	"bytes"
	"context"
	"errors"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

const (
	// quarter is how much time one row of totals is of. In every zone a day is made of whole ones.
	quarter = 15 * time.Minute
	// foldLag is how old a quarter is before it goes into the totals: its charges are committed by then, and
	// most of them decided.
	foldLag = time.Minute
	// foldEvents is how many events one transaction looks at, foldCharges about how many charges it adds up that
	// were in no total yet.
	foldEvents  = 500
	foldCharges = 20_000
	// manyTimes as many events are looked at if they are of few shares, as the refunds of an hour are: a share is added
	// up once for all of them.
	manyTimes = 20
	fewShares = 20
)

// closed is the end of the last quarter that goes into the totals.
func closed(now time.Time) time.Time { return now.Add(-foldLag).Truncate(quarter) }

// cutoff is up to where an application's charges are in its totals.
type cutoff struct {
	ApplicationID int64     `db:"application_id"`
	Sequence      int64     `db:"sequence"` // of the last event that was looked at
	Until         time.Time `db:"until"`    // charges made before are in
	Last          int64     `db:"last_sequence"`
}

// Fold brings the totals of charges up to date, a batch for each application, and says how much it moved:
// quarters that are over go in, and those that events report a change in are added up again, from the charges as
// they are. Totals and cut-off change together or not at all. Any number of binaries may run it at once: each
// application is folded by one at a time. An application that cannot be folded holds up no other.
func (s *Service) Fold(ctx context.Context) (int, error) {
	if _, err := pg.Exec(ctx, s.deps.Pool, `
		INSERT INTO charge_cutoffs (application_id, sequence, until)
		SELECT application_id, last_sequence, 'epoch' FROM event_streams s
		WHERE NOT EXISTS (SELECT FROM charge_cutoffs c WHERE c.application_id = s.application_id)
		ON CONFLICT DO NOTHING`, pg.Args{}); err != nil {
		return 0, err
	}
	cutoffs, err := pg.All[cutoff](ctx, s.deps.Pool, `
		SELECT c.application_id, c.sequence, c.until, s.last_sequence FROM charge_cutoffs c
			JOIN event_streams s USING (application_id)`, pg.Args{})
	if err != nil {
		return 0, err
	}
	n := 0
	var errs []error
	for _, c := range cutoffs {
		moved, err := s.foldOf(ctx, c)
		n, errs = n+moved, append(errs, err)
	}
	return n, errors.Join(errs...)
}

// foldOf folds a batch of one application, unless nothing is new or another binary is at it.
func (s *Service) foldOf(ctx context.Context, seen cutoff) (n int, err error) {
	m, err := s.deps.Clock.Moment(ctx, seen.ApplicationID)
	if err != nil || seen.Sequence == seen.Last && !seen.Until.Before(closed(m.At)) {
		return 0, err
	}
	if m, err = s.present(ctx, seen.ApplicationID); err != nil {
		return 0, err
	}
	err = pg.InBatch(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		n = 0
		c, err := pg.One[cutoff](ctx, tx, `
			SELECT application_id, sequence, until, @last::bigint AS last_sequence FROM charge_cutoffs
			WHERE application_id = @application_id
				FOR UPDATE SKIP LOCKED`, pg.Args{"application_id": seen.ApplicationID, "last": seen.Last})
		if errors.Is(err, pg.ErrNone) {
			return nil
		}
		if err != nil {
			return err
		}
		n, err = s.foldTx(ctx, tx, m, c)
		return err
	})
	return n, err
}

// foldTx folds a batch of an application whose cut-off the transaction holds. What has a number was committed
// before, and there are no gaps: each statement here sees the charges as the events that are looked at left them,
// or later. New quarters go in when no event waits: until then the charges made in them are counted where they
// are, and need not be added up again for each of their events.
func (s *Service) foldTx(ctx context.Context, tx *pg.Tx, m instant.Moment, c cutoff) (int, error) {
	to, changed, err := s.changedTx(ctx, tx, c)
	if err != nil {
		return 0, err
	}
	quarters, err := anewTx(ctx, tx, m, c.ApplicationID, changed)
	if err != nil {
		return 0, err
	}
	if until := closed(m.At); to.Sequence >= c.Last && c.Until.Before(until) {
		over, end, err := overTx(ctx, tx, m, c, until, s.foldCharges)
		if err != nil {
			return 0, err
		}
		quarters, to.Until = append(quarters, over...), end
	}
	if to.Sequence == c.Sequence && to.Until.Equal(c.Until) {
		return 0, nil
	}
	if err := wholeTx(ctx, tx, c.ApplicationID, quarters); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, `UPDATE charge_cutoffs SET sequence = @sequence, until = @until
		WHERE application_id = @application_id`,
		pg.Args{"application_id": c.ApplicationID, "sequence": to.Sequence, "until": to.Until})
	return 1, err
}

// share is what a row of totals is of, but for its currency.
type share struct {
	MerchantID int64     `db:"merchant_id"`
	Quarter    time.Time `db:"quarter"`
}

// changedTx returns the cut-off after a batch of events, and the shares that they report a change in. Most events are
// of charges that are in no total yet, which the time in their ids tells without a look at them.
func (s *Service) changedTx(ctx context.Context, tx *pg.Tx, c cutoff) (to cutoff, changed []share, err error) {
	to = c
	for _, events := range []int64{manyTimes * s.foldEvents, s.foldEvents} {
		to.Sequence = max(c.Sequence, min(c.Sequence+events, c.Last))
		changed, err = pg.All[share](ctx, tx, `
			SELECT DISTINCT c.merchant_id, `+quarterOf+` AS quarter
			FROM (SELECT DISTINCT object_id FROM events WHERE application_id = @application_id AND sequence > @after
				AND sequence <= @to
				AND object_id < @newest) e
			CROSS JOIN LATERAL (SELECT merchant_id, created_at FROM charges
				WHERE application_id = @application_id AND id = e.object_id AND created_at < @until OFFSET 0) c
			ORDER BY 1,
				2`, pg.Args{"application_id": c.ApplicationID, "until": c.Until,
			"newest": charge.Spans.Newest(c.Until).Bytes(),
			"after":  c.Sequence, "to": to.Sequence})
		if err != nil || len(changed) <= fewShares {
			break
		}
	}
	return to, changed, err
}

// anewTx adds up shares again, and returns the quarters whose totals are others than they were.
func anewTx(ctx context.Context, tx *pg.Tx, m instant.Moment, applicationID int64,
	changed []share) ([]time.Time, error) {
	if len(changed) == 0 {
		return nil, nil
	}
	of, quarters := make([]int64, len(changed)), make([]time.Time, len(changed))
	for i, one := range changed {
		of[i], quarters[i] = one.MerchantID, one.Quarter
	}
	merchants, oldest, newest := ranges(changed, m)
	// Charges are added up before the shares are looked for: each is read once, however many shares a merchant has.
	return pg.Value[[]time.Time](ctx, tx, tellQuarters+putTotals+`
		SELECT * FROM (
			SELECT application_id, merchant_id, `+quarterOf+` AS quarter, currency, `+charge.Sums+`
			FROM unnest(@merchants::bigint[], @oldest::uuid[], @newest::uuid[]) AS r (of_merchant, oldest, newest)
			JOIN charges ON application_id = @application_id AND merchant_id = of_merchant AND id >= oldest
				AND id < newest
			GROUP BY 1, 2, 3, 4) found
		WHERE (merchant_id, quarter) IN (SELECT *
			FROM unnest(@of::bigint[], @quarters::timestamptz[]))`+keepTotals+quartersTold,
		pg.Args{"application_id": applicationID, "merchants": merchants, "oldest": oldest, "newest": newest, "of": of,
			"quarters": quarters})
}

// ranges are where the ids of all charges in some shares are, which are in order: each id is in one range at most.
// On a clock that was moved the ids of a quarter may be anywhere in a long time, and so may those of the next.
func ranges(of []share, m instant.Moment) (merchants []int64, oldest, newest [][16]byte) {
	for _, one := range of {
		from, until := charge.Spans.Oldest(one.Quarter,
			m).Bytes(), charge.Spans.Newest(one.Quarter.Add(quarter)).Bytes()
		last := len(merchants) - 1
		if last >= 0 && merchants[last] == one.MerchantID && bytes.Compare(from[:], newest[last][:]) <= 0 {
			newest[last] = until
			continue
		}
		merchants, oldest, newest = append(merchants, one.MerchantID), append(oldest, from), append(newest, until)
	}
	return merchants, oldest, newest
}

// overTx adds up the quarters from the cut-off until a time, or the first of them if they have many charges, and
// returns those that have some and where the last of them ends.
func overTx(ctx context.Context, tx *pg.Tx, m instant.Moment, c cutoff, until time.Time, most int) ([]time.Time,
	time.Time, error) {
	span := func(until time.Time) pg.Args {
		return pg.Args{"application_id": c.ApplicationID, "from": c.Until, "until": until,
			"oldest": charge.Spans.Oldest(c.Until, m).Bytes(), "newest": charge.Spans.Newest(until).Bytes()}
	}
	bound := span(until)
	bound["most"] = most
	next, err := pg.Value[time.Time](ctx, tx, `SELECT created_at
		FROM charges`+ofSpan+` ORDER BY id OFFSET @most LIMIT 1`, bound)
	switch {
	case err == nil:
		if until = next.Truncate(quarter); !until.After(c.Until) {
			until = c.Until.Add(quarter)
		}
	case !errors.Is(err, pg.ErrNone):
		return nil, until, err
	}
	quarters, err := pg.Value[[]time.Time](ctx, tx, tellQuarters+putTotals+`
		SELECT application_id, merchant_id, `+quarterOf+`, currency, `+charge.Sums+`
		FROM charges`+ofSpan+` GROUP BY 1, 2, 3, 4`+keepTotals+quartersTold, span(until))
	return quarters, until, err
}

// wholeTx adds up the merchants' totals of some quarters to the application's.
func wholeTx(ctx context.Context, tx *pg.Tx, applicationID int64, quarters []time.Time) error {
	if len(quarters) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, putTotals+`
		SELECT application_id, NULL::bigint, quarter, currency, `+sumsOfTotals+`
		FROM charge_totals WHERE application_id = @application_id AND quarter = ANY (@quarters::timestamptz[])
			AND merchant_id IS NOT NULL
		GROUP BY 1, 3, 4`+keepTotals, pg.Args{"application_id": applicationID, "quarters": quarters})
	return err
}

const (
	// quarterOf is the quarter of an hour that a charge was made in.
	quarterOf = `date_bin('15 minutes', created_at, TIMESTAMPTZ 'epoch')`
	ofSpan    = ` WHERE application_id = @application_id AND id >= @oldest AND id < @newest AND created_at >= @from
		AND created_at < @until`

	putTotals = `
		INSERT INTO charge_totals AS t (application_id, merchant_id, quarter, currency,
			count, failed, decided, captured, refunded, returned, disputed, fees)`
	keepTotals = `
		ON CONFLICT (application_id, merchant_id, quarter, currency) DO UPDATE
			SET count = excluded.count, failed = excluded.failed,
			decided = excluded.decided, captured = excluded.captured, refunded = excluded.refunded,
				returned = excluded.returned,
			disputed = excluded.disputed, fees = excluded.fees
		WHERE t.* IS DISTINCT FROM excluded.*`

	// What stands around a statement that writes totals and tells the quarters that it changed any of.
	tellQuarters = `WITH put AS (`
	quartersTold = ` RETURNING quarter) SELECT coalesce(array_agg(DISTINCT quarter), '{}') FROM put`
)
