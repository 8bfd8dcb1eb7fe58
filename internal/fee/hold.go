package fee

import (
	"context"
	"time"

	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

// What is charged holds the series that it is charged by until it is written, together with others; a change of a
// series holds it alone. So a change takes its instant when everything charged before is written, and what is charged
// after it sees the change, whichever server either happens on. Locks are of the transaction; the kind keeps both sorts
// of series apart.
const (
	holdShared = `
		SELECT count(pg_advisory_xact_lock_shared(h.series)) AS held FROM (
			SELECT hashint8extended(m, ` + kindMerchant + `) AS series FROM unnest(@merchants::bigint[]) AS m
			UNION SELECT hashint8extended(a, ` + kindService + `) FROM unnest(@applications::bigint[]) AS a) AS h`
	holdMerchant = `SELECT pg_advisory_xact_lock(hashint8extended(@id, ` + kindMerchant + `))`
	holdService  = `SELECT pg_advisory_xact_lock(hashint8extended(@id, ` + kindService + `))`
	kindMerchant = `70657831`
	kindService  = `70657832`
)

type held struct {
	Held int64 `db:"held"`
}

func holdArgs(of map[Merchant]time.Time) pg.Args {
	var applications, merchants []int64
	for m := range of {
		applications, merchants = append(applications, m.ApplicationID), append(merchants, m.MerchantID)
	}
	return pg.Args{"applications": applications, "merchants": merchants}
}

// holdTx waits until nothing is being charged by the series, and keeps everything from it until the transaction ends.
func (q series) holdTx(ctx context.Context, tx *pg.Tx) error {
	var err error
	if q.service() {
		_, err = tx.Exec(ctx, holdService, pg.Args{"id": q.applicationID})
	} else {
		_, err = tx.Exec(ctx, holdMerchant, pg.Args{"id": q.merchantID})
	}
	return err
}

// present is when a series is changed, while it is held.
type present struct {
	instant.Moment
	// from is the first instant at which a change can begin: now, and later than everything that was charged by the
	// series, also on a server whose clock is ahead of ours.
	from     instant.Time
	standing // the series as it is until the change
}

// presentTx is the present of a series that the transaction holds.
func (q series) presentTx(ctx context.Context, tx *pg.Tx, m instant.Moment) (present, error) {
	last, err := pg.Value[*time.Time](ctx, tx, lastCharged, q.args(nil))
	now := present{Moment: m, from: instant.Of(m.At)}
	if now.from.Before(m.At) { // the instants of schedules are whole milliseconds
		now.from = instant.Of(m.At.Add(time.Millisecond))
	}
	if last != nil && !last.Before(now.from.Time) {
		now.from = instant.Of(last.Add(time.Millisecond))
	}
	if err == nil {
		now.standing, err = q.standing(ctx, tx, now.from.Time)
	}
	return now, err
}

// lastCharged is when something was last charged by a series. A donation fixes its fee when it is created; the one made
// last is that with the last id.
const lastCharged = `
	SELECT max(greatest(e.last, d.last)) FROM merchants m
	LEFT JOIN LATERAL (
		SELECT max(f.occurred_at) AS last FROM fee_events f WHERE f.application_id = m.application_id
			AND f.merchant_id = m.id) e ON true
	LEFT JOIN LATERAL (
		SELECT d.created_at AS last FROM daf_donations d WHERE d.application_id = m.application_id
			AND d.merchant_id = m.id
		ORDER BY d.id DESC LIMIT 1) d ON true
	WHERE m.application_id = @application_id AND (@merchant_id::bigint = 0 OR m.id = @merchant_id)`
