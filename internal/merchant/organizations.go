package merchant

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/instant"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Customer is an organization as lists show it: a customer of the application, with one or more merchants.
type Customer struct {
	ID        int64        `db:"id" json:"id"`
	Object    string       `db:"-" json:"object"`
	Livemode  bool         `db:"-" json:"livemode"`
	Name      string       `db:"name" json:"name"`
	CreatedAt instant.Time `db:"created_at" json:"created_at"`
}

// CustomerListInput selects a page of organizations; what is not set selects all.
type CustomerListInput struct {
	Page    page.Input[int64]
	Created page.Times
}

// Organizations returns one page of the application's organizations. A caller who is limited to some merchants sees the
// organizations of these.
func (s *Service) Organizations(ctx context.Context, actor authz.Actor,
	in CustomerListInput) (page.Of[Customer], error) {
	if err := s.deps.Check.Check(actor, authz.MerchantRead); err != nil {
		return page.Of[Customer]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, selectOrganizations, pg.Args{"application_id": actor.ApplicationID,
		"seen": actor.Within(nil), "from": in.Created.From, "until": in.Created.Until},
		func(c Customer) Customer {
			c.Object, c.Livemode = "organization", !s.sandbox()
			return c
		})
}

const selectOrganizations = `SELECT o.id, o.name, o.created_at FROM organizations o
	WHERE o.application_id = @application_id
		AND (@seen::bigint[] IS NULL OR EXISTS (
			SELECT FROM merchants m WHERE m.application_id = o.application_id AND m.organization_id = o.id
				AND m.id = ANY (@seen)))
		AND (@from::timestamptz IS NULL OR o.created_at >= @from)
		AND (@until::timestamptz IS NULL OR o.created_at < @until)`
