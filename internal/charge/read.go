package charge

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Get returns a charge of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Charge, error) {
	if err := s.deps.Check.Check(actor, authz.ChargeRead); err != nil {
		return Charge{}, err
	}
	chargeID, err := ids.ParseCharge(id)
	if err != nil {
		return Charge{}, fault.Missing()
	}
	c, err := s.Find(ctx, actor.ApplicationID, chargeID)
	return authz.Seen(actor, c, c.MerchantID, err)
}

// Reach returns the fault that says that a charge is missing, if it is not of a merchant that the actor
// sees. Of an actor who sees them all it asks nothing.
func (s *Service) Reach(ctx context.Context, actor authz.Actor, id ids.Charge) error {
	return actor.Reach(func() (int64, error) {
		c, err := s.Find(ctx, actor.ApplicationID, id)
		return c.MerchantID, err
	})
}

// Several reads those of some charges that exist for the actor, by their ids.
func (s *Service) Several(ctx context.Context, actor authz.Actor, charges []ids.Charge) (map[ids.Charge]Charge, error) {
	if err := authz.Reads(s.deps.Check, actor, "charge"); err != nil {
		return nil, err
	}
	all, err := pg.All[Charge](ctx, s.deps.Pool, shown+` WHERE application_id = @application_id
		AND id = ANY (@charges::uuid[])`, pg.Args{"application_id": actor.ApplicationID, "charges": charges})
	out := make(map[ids.Charge]Charge, len(all))
	for _, c := range all {
		if actor.Sees(c.MerchantID) {
			out[c.ID] = s.derive(c)
		}
	}
	return out, err
}

// ListInput selects a page of charges; what is not set selects all.
type ListInput struct {
	Page       page.Input[ids.Charge]
	Created    page.Times
	Captured   page.Times
	Settled    page.Times
	Amounts    page.Amounts
	Statuses   []string
	Merchants  []int64
	Types      []string
	Currencies []string
	ExternalID *string // of one charge that did not fail, at most, and of any number that did
	Email      *string // of the payer, in letters of either case and any form
	Last4      *string // of the card or bank account
	Token      *ids.Token
	Brands     []string    // of the card
	Payout     *ids.Payout // that the charge's money left with
	Failures   []string    // of FailureCodes
	Recurring  *bool
	Metadata   map[string]string // pairs that a charge must have; nil for any
}

// List returns one page of the application's charges.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Charge], error) {
	if err := s.deps.Check.Check(actor, authz.ChargeRead); err != nil {
		return page.Of[Charge]{}, err
	}
	in.Merchants = actor.Within(in.Merchants)
	return s.list(ctx, s.deps.Pool, actor.ApplicationID, in)
}

func (s *Service) list(ctx context.Context, q pg.Querier, applicationID int64, in ListInput) (page.Of[Charge], error) {
	args, err := s.selection(ctx, applicationID, in)
	if err != nil {
		return page.Of[Charge]{}, err
	}
	return pg.Page(ctx, q, in.Page, selectPage, args, s.derive)
}

// readable is [Service.selection] of what the actor may read of a list.
func (s *Service) readable(ctx context.Context, actor authz.Actor, in ListInput) (pg.Args, error) {
	if err := s.deps.Check.Check(actor, authz.ChargeRead); err != nil {
		return nil, err
	}
	in.Merchants = actor.Within(in.Merchants)
	return s.selection(ctx, actor.ApplicationID, in)
}

// selection are the arguments of the conditions that a list's filters are.
func (s *Service) selection(ctx context.Context, applicationID int64, in ListInput) (pg.Args, error) {
	oldest, newest, err := Spans.Within(ctx, s.present, applicationID, in.Created)
	if err != nil {
		return nil, err
	}
	// The index charges_by_traits is read in its columns' order: what stands before a trait that is asked
	// for is asked for too, with every value that there is.
	types, currencies := in.Types, in.Currencies
	if currencies == nil && in.Recurring != nil {
		currencies = money.CurrencyNames()
	}
	if types == nil && currencies != nil {
		types = Types()
	}
	return pg.Args{"application_id": applicationID,
		"statuses": in.Statuses, "merchants": in.Merchants, "types": types, "currencies": currencies,
		"external_id": in.ExternalID, "email": mailbox.Sought(in.Email), "last4": in.Last4, "recurring": in.Recurring,
		"metadata": in.Metadata, "token": in.Token, "brands": in.Brands, "payout": in.Payout, "failures": in.Failures,
		"captured_from": in.Captured.From, "captured_until": in.Captured.Until, "settled_from": in.Settled.From,
		"settled_until": in.Settled.Until, "least": in.Amounts.Least, "most": in.Amounts.Most,
		"from": in.Created.From, "until": in.Created.Until, "oldest": oldest, "newest": newest}, nil
}

// Spans are of the ids of charges. The requests of one round have a time each, but ids of one time.
var Spans = clock.Spans[ids.Charge]{First: ids.FirstCharge, Apart: time.Second}

// present is the time of an application, with every move of its clock that was made until now.
func (s *Service) present(ctx context.Context, applicationID int64) (instant.Moment, error) {
	return s.deps.Clock.Present(s.deps.Livemode)(ctx, applicationID)
}

const selectPage = shown + selected

// selected are the conditions of a list's filters.
const selected = `
	WHERE application_id = @application_id
		AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@types::text[] IS NULL OR type = ANY (@types))
		AND (@currencies::text[] IS NULL OR currency = ANY (@currencies))
		AND (@external_id::text IS NULL OR external_id = @external_id OR released_external_id = @external_id)
		AND (@email::text IS NULL OR lower(billing->>'email') = lower(@email))
		AND (@last4::text IS NULL OR payment_method->>'last4' = @last4)
		AND (@token::uuid IS NULL OR token_id = @token)
		AND (@brands::text[] IS NULL OR payment_method->>'brand' = ANY (@brands))
		AND (@payout::uuid IS NULL OR id = ANY (ARRAY(
			SELECT l.charge_id FROM payout_entries p JOIN ledger_entries l ON l.application_id = p.application_id
				AND l.id = p.entry_id
			WHERE p.application_id = @application_id AND p.payout_id = @payout AND p.active AND ` + bringsIn + `)))
		AND (@failures::text[] IS NULL OR failure IS NOT NULL AND failure->>'code' = ANY (@failures))
		AND (@captured_from::timestamptz IS NULL OR captured_at >= @captured_from)
		AND (@captured_until::timestamptz IS NULL OR captured_at < @captured_until)
		AND (@settled_from::timestamptz IS NULL OR settled_at >= @settled_from)
		AND (@settled_until::timestamptz IS NULL OR settled_at < @settled_until)
		AND (@recurring::boolean IS NULL OR recurring = @recurring)
		AND (@metadata::jsonb IS NULL OR (metadata @> @metadata AND metadata <> '{}'))
		AND (@least::bigint IS NULL OR amount >= @least)
		AND (@most::bigint IS NULL OR amount <= @most)
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)
		AND (@oldest::uuid IS NULL OR id >= @oldest)
		AND (@newest::uuid IS NULL OR id < @newest)`
