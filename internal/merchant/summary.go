package merchant

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Summary is what is notified of a merchant next to the objects that are its own, and where one of several is chosen.
type Summary struct {
	ID        int64          `db:"id"`
	Name      string         `db:"name"`
	Country   string         `db:"country"` // ISO 3166-1 alpha-2
	Currency  money.Currency `db:"currency"`
	Nonprofit bool           `db:"nonprofit"`
	Enrolled  bool           `db:"enrolled"` // in DAF Pay
}

// Eligible is [Merchant.Eligible].
func (m Summary) Eligible() bool {
	return Merchant{Country: m.Country, Nonprofit: m.Nonprofit}.Eligible()
}

const summarized = `SELECT m.id, m.name, m.country, m.currency, m.nonprofit,
	m.daf_provider_connect_id IS NOT NULL AS enrolled FROM merchants m`

// First are the first of the actor's merchants by id, so many at most.
func (s *Service) First(ctx context.Context, actor authz.Actor, most int) (page.Of[Summary], error) {
	if err := s.deps.Check.Check(actor, authz.MerchantRead); err != nil {
		return page.Of[Summary]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, page.Input[int64]{Limit: most, Ascending: true}, summarized+`
		WHERE m.application_id = @application_id
			AND (@seen::bigint[] IS NULL OR m.id = ANY (@seen))`,
		pg.Args{"application_id": actor.ApplicationID, "seen": actor.Within(nil)}, func(m Summary) Summary { return m })
}

// SummariesOf is [Service.Several] for lines that name merchants.
func (s *Service) SummariesOf(ctx context.Context, actor authz.Actor, merchants []int64) (map[int64]Summary, error) {
	if err := s.deps.Check.Check(actor, authz.MerchantRead); err != nil {
		return nil, err
	}
	all, err := pg.All[Summary](ctx, s.deps.Pool, summarized+` WHERE m.application_id = @application_id
		AND m.id = ANY (@merchants::bigint[])`,
		pg.Args{"application_id": actor.ApplicationID, "merchants": actor.Within(merchants)})
	out := make(map[int64]Summary, len(all))
	for _, m := range all {
		out[m.ID] = m
	}
	return out, err
}
