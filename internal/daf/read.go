package daf

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Get returns a donation of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Donation, error) {
	if err := s.deps.Check.Check(actor, authz.DonationRead); err != nil {
		return Donation{}, err
	}
	donationID, err := ids.ParseDonation(id)
	if err != nil {
		return Donation{}, fault.Missing()
	}
	d, err := s.find(ctx, actor.ApplicationID, donationID)
	return authz.Seen(actor, d, d.MerchantID, err)
}

func (s *Service) find(ctx context.Context, applicationID int64, id ids.Donation) (Donation, error) {
	d, err := pg.Find[Donation](ctx, s.deps.Pool,
		`SELECT `+columns+` FROM daf_donations d WHERE d.application_id = @application_id AND d.id = @id`,
		pg.Args{"application_id": applicationID, "id": id})
	return s.derive(d), err
}

// ListInput selects a page of donations; what is not set selects all.
type ListInput struct {
	Page       page.Input[ids.Donation]
	Created    page.Times
	Amounts    page.Amounts
	Kinds      []string
	Statuses   []string
	Merchants  []int64
	TrackingID *string // at most one donation has it
	ExternalID *string // at most one donation has it
	// that either of the two is, a tracking id in letters of either case: at most two donations have it
	Reference *string
	Email     *string           // of the donor, in letters of either case and any form
	Metadata  map[string]string // pairs that a donation must have; nil for any
}

// List returns one page of the application's donations.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Donation], error) {
	if err := s.deps.Check.Check(actor, authz.DonationRead); err != nil {
		return page.Of[Donation]{}, err
	}
	oldest, newest, err := spans.Within(ctx, s.deps.Clock.Present(s.deps.Livemode), actor.ApplicationID, in.Created)
	if err != nil {
		return page.Of[Donation]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, selectPage, pg.Args{"application_id": actor.ApplicationID,
		"kinds": in.Kinds, "statuses": in.Statuses, "merchants": actor.Within(in.Merchants),
		"tracking_id": in.TrackingID,
		"external_id": in.ExternalID, "reference": in.Reference, "email": mailbox.Sought(in.Email),
		"metadata": in.Metadata, "least": in.Amounts.Least, "most": in.Amounts.Most,
		"from": in.Created.From, "until": in.Created.Until, "oldest": oldest, "newest": newest}, s.derive)
}

// spans are of the ids of donations, which have the same time.
var spans = clock.Spans[ids.Donation]{First: ids.FirstDonation, Apart: time.Second}

const selectPage = `SELECT ` + columns + ` FROM daf_donations d
	WHERE application_id = @application_id
		AND (@kinds::text[] IS NULL OR kind = ANY (@kinds))
		AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@tracking_id::text IS NULL OR tracking_id = @tracking_id)
		AND (@external_id::text IS NULL OR external_id = @external_id)
		AND (@reference::text IS NULL OR tracking_id = upper(@reference) OR external_id = @reference)
		AND (@email::text IS NULL OR donor->>'email' <> '' AND lower(donor->>'email') = lower(@email))
		AND (@metadata::jsonb IS NULL OR (metadata @> @metadata AND metadata <> '{}'))
		AND (@least::bigint IS NULL OR amount >= @least)
		AND (@most::bigint IS NULL OR amount <= @most)
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)
		AND (@oldest::uuid IS NULL OR id >= @oldest)
		AND (@newest::uuid IS NULL OR id < @newest)`
