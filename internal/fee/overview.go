package fee

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Unlike is a merchant whose rates in effect are not the application's defaults.
type Unlike struct {
	MerchantID int64 `db:"id"`
	Rates
}

// Differing returns a page of the merchants whose rates in effect differ from the application's defaults.
func (s *Service) Differing(ctx context.Context, actor authz.Actor, in page.Input[int64]) (page.Of[Unlike], error) {
	d, err := s.Defaults(ctx, actor)
	if err != nil {
		return page.Of[Unlike]{}, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return page.Of[Unlike]{}, err
	}
	args := d.args(pg.Args{"application_id": actor.ApplicationID, "now": m.At, "seen": actor.Within(nil)})
	return pg.Page(ctx, s.deps.Pool, in, selectDiffering, args, func(u Unlike) Unlike { return u })
}

// selectDiffering looks at what is in effect for each merchant, by one probe of its index.
const selectDiffering = `SELECT id, ` + columns + `
	FROM merchants m JOIN LATERAL (
		SELECT ` + columns + ` FROM fee_schedules f
		WHERE f.application_id = m.application_id AND f.merchant_id = m.id AND f.canceled_at IS NULL
			AND f.effective_at <= @now
		ORDER BY f.effective_at DESC, f.version DESC LIMIT 1) f ON true
	WHERE m.application_id = @application_id AND (@seen::bigint[] IS NULL OR m.id = ANY (@seen))
		AND (` + columns + `) IS DISTINCT FROM (` + values + `)`

// mostScheduled bounds the list of scheduled changes.
const mostScheduled = 200

// Upcoming returns the changes that are scheduled for merchants of the actor's application, the first to begin
// first, and at most 200 of them.
func (s *Service) Upcoming(ctx context.Context, actor authz.Actor) ([]Record, error) {
	if err := s.deps.Check.Check(actor, authz.FeeRead); err != nil {
		return nil, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return nil, err
	}
	rows, err := pg.All[Record](ctx, s.deps.Pool, `SELECT `+recordColumns+` FROM fee_series s
		WHERE s.application_id = @application_id AND s.merchant_id > 0 AND s.canceled_at IS NULL
			AND s.effective_at > @now
			AND (@seen::bigint[] IS NULL OR s.merchant_id = ANY (@seen))
		ORDER BY s.effective_at, s.version LIMIT @most`,
		pg.Args{"application_id": actor.ApplicationID, "now": m.At, "seen": actor.Within(nil), "most": mostScheduled})
	for i := range rows {
		rows[i] = s.derive(rows[i])
	}
	return rows, err
}
