package dispute

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Get returns a dispute of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Dispute, error) {
	if err := s.deps.Check.Check(actor, authz.DisputeRead); err != nil {
		return Dispute{}, err
	}
	disputeID, err := ids.ParseDispute(id)
	if err != nil {
		return Dispute{}, fault.Missing()
	}
	d, err := s.find(ctx, actor.ApplicationID, disputeID)
	return authz.Seen(actor, d, d.MerchantID, err)
}

func (s *Service) find(ctx context.Context, applicationID int64, id ids.Dispute) (Dispute, error) {
	d, err := pg.Find[Dispute](ctx, s.deps.Pool,
		`SELECT `+columns+` FROM disputes WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": applicationID, "id": id})
	return s.derive(d), err
}

// ListInput selects a page of disputes; what is not set selects all.
type ListInput struct {
	Page      page.Input[ids.Dispute]
	Created   page.Times
	RespondBy page.Times
	Amounts   page.Amounts
	Statuses  []string
	Kinds     []string
	Merchants []int64
	ChargeID  *ids.Charge
	Reason    *string // the network's word
}

// List returns one page of the application's disputes.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Dispute], error) {
	if err := s.deps.Check.Check(actor, authz.DisputeRead); err != nil {
		return page.Of[Dispute]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, selectPage, pg.Args{"application_id": actor.ApplicationID,
		"statuses": in.Statuses, "kinds": in.Kinds, "merchants": actor.Within(in.Merchants), "charge_id": in.ChargeID,
		"reason": in.Reason, "least": in.Amounts.Least, "most": in.Amounts.Most,
		"respond_from": in.RespondBy.From, "respond_until": in.RespondBy.Until,
		"from": in.Created.From, "until": in.Created.Until}, s.derive)
}

// Due returns up to limit disputes that need a response, the one to answer soonest first.
func (s *Service) Due(ctx context.Context, actor authz.Actor, limit int) ([]Dispute, error) {
	if err := s.deps.Check.Check(actor, authz.DisputeRead); err != nil {
		return nil, err
	}
	all, err := pg.All[Dispute](ctx, s.deps.Pool, `SELECT `+columns+` FROM disputes
		WHERE application_id = @application_id AND status = @status
			AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		ORDER BY respond_by, id LIMIT @limit`,
		pg.Args{"application_id": actor.ApplicationID, "status": NeedsResponse, "merchants": actor.Within(nil),
			"limit": limit})
	for i := range all {
		all[i] = s.derive(all[i])
	}
	return all, err
}

const selectPage = `SELECT ` + columns + ` FROM disputes
	WHERE application_id = @application_id
		AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
		AND (@kinds::text[] IS NULL OR kind = ANY (@kinds))
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@charge_id::uuid IS NULL OR charge_id = @charge_id)
		AND (@reason::text IS NULL OR reason = @reason)
		AND (@least::bigint IS NULL OR amount >= @least)
		AND (@most::bigint IS NULL OR amount <= @most)
		AND (@respond_from::timestamptz IS NULL OR respond_by >= @respond_from)
		AND (@respond_until::timestamptz IS NULL OR respond_by < @respond_until)
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)`
