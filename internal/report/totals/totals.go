// Package totals adds up what the portal shows of a whole application: charges by day, and how the deployment does.
//
// Charges are added up for each quarter of an hour. [Service.Fold] reads the events since its last pass and recomputes
// the quarters of their charges; quarters and cut-off change in one transaction. [Service.Days] adds the charges after
// the cut-off directly, so no payment writes a total.
package totals

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/instant"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Deps are what the service works with.
type Deps struct {
	Pool     *pgxpool.Pool
	Check    authz.Checker
	Clock    *clock.Clock
	Livemode bool
}

// Service adds up.
type Service struct {
	deps Deps
	// How many events and new charges one transaction folds.
	foldEvents  int64
	foldCharges int
}

// New makes the service.
func New(d Deps) *Service { return &Service{d, foldEvents, foldCharges} }

// present is the time of an application, with every move of its clock that was made until now.
func (s *Service) present(ctx context.Context, applicationID int64) (instant.Moment, error) {
	return s.deps.Clock.Present(s.deps.Livemode)(ctx, applicationID)
}

// Day is what the charges of one currency come to that were made on one day.
type Day struct {
	Day instant.Date `db:"day"`
	charge.Totals
}

// Input selects charges; what is not set selects all.
type Input struct {
	Created   page.Times
	Merchants []int64
}

// Days adds up charges by the day that they were made on in a zone, named as IANA does, and by currency, the first day
// first. Days without charges are left out. Charges that are in the totals are not read: a change of one of them counts
// as soon as it is folded, everything else at once.
func (s *Service) Days(ctx context.Context, actor authz.Actor, in Input, zone string) ([]Day, error) {
	if err := s.deps.Check.Check(actor, authz.ChargeRead); err != nil {
		return nil, err
	}
	in.Merchants = actor.Within(in.Merchants)
	folded, err := s.folded(ctx, actor.ApplicationID, in.Created)
	if err != nil {
		return nil, err
	}
	return s.days(ctx, s.deps.Pool, actor.ApplicationID, in, folded, zone)
}

// days takes the totals of a span that is folded, and adds up the charges after it.
func (s *Service) days(ctx context.Context, q pg.Querier, applicationID int64, in Input, folded page.Times,
	zone string) ([]Day, error) {
	if folded.Until != nil {
		in.Created.From = folded.Until
	}
	oldest, newest, err := charge.Spans.Within(ctx, s.present, applicationID, in.Created)
	if err != nil {
		return nil, err
	}
	return pg.Planned[Day](ctx, q, selectDays,
		pg.Args{"application_id": applicationID, "merchants": in.Merchants, "zone": zone,
			"from": in.Created.From, "until": in.Created.Until, "oldest": oldest, "newest": newest,
			"folded_from": folded.From, "folded_until": folded.Until})
}

// sumsOfTotals are the members of charge.Totals, over totals.
const sumsOfTotals = `sum(count)::bigint AS count, sum(failed)::bigint AS failed, sum(decided)::bigint AS decided,
	sum(captured)::bigint AS captured, sum(refunded)::bigint AS refunded, sum(returned)::bigint AS returned,
	sum(disputed)::bigint AS disputed, sum(fees)::bigint AS fees`

// selectDays adds up totals, of no time without an end, and charges. An application's totals are those of no merchant.
const selectDays = `
	SELECT day, currency, ` + sumsOfTotals + ` FROM (
		SELECT (quarter AT TIME ZONE @zone)::date AS day, currency, count, failed, decided, captured, refunded,
			returned, disputed, fees
		FROM charge_totals
		WHERE application_id = @application_id AND quarter < @folded_until AND (@folded_from::timestamptz IS NULL
			OR quarter >= @folded_from)
			AND (merchant_id = ANY (@merchants) OR @merchants IS NULL AND merchant_id IS NULL)
		UNION ALL
		SELECT (created_at AT TIME ZONE @zone)::date, currency, ` + charge.Sums + `
		FROM charges
		WHERE application_id = @application_id AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
			AND (@from::timestamptz IS NULL OR created_at >= @from)
				AND (@until::timestamptz IS NULL OR created_at < @until)
			AND (@oldest::uuid IS NULL OR id >= @oldest) AND (@newest::uuid IS NULL OR id < @newest)
		GROUP BY 1, currency) parts
	GROUP BY day, currency ORDER BY day, currency DESC`

// folded is the part of a span of time whose charges are in the totals; none has no end. Totals are of whole quarters.
func (s *Service) folded(ctx context.Context, applicationID int64, span page.Times) (page.Times, error) {
	if !whole(span.From) || !whole(span.Until) {
		return page.Times{}, nil
	}
	until, err := pg.Value[time.Time](ctx, s.deps.Pool, `SELECT until FROM charge_cutoffs
		WHERE application_id = @application_id`, pg.Args{"application_id": applicationID})
	switch {
	case errors.Is(err, pg.ErrNone):
		return page.Times{}, nil
	case span.Until != nil && span.Until.Before(until):
		until = *span.Until
	}
	if span.From != nil && until.Before(*span.From) {
		return page.Times{}, err
	}
	return page.Times{From: span.From, Until: &until}, err
}

// whole reports whether a time is where a quarter of an hour begins.
func whole(t *time.Time) bool { return t == nil || t.Equal(t.Truncate(quarter)) }
