package merchant

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/textindex"
)

// Get returns a merchant of the actor's application, or the fault that says it is missing.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id int64) (Merchant, error) {
	if err := s.deps.Check.Check(actor, authz.MerchantRead); err != nil {
		return Merchant{}, err
	}
	return s.seen(ctx, actor, id)
}

// seen finds a merchant that exists for the actor.
func (s *Service) seen(ctx context.Context, actor authz.Actor, id int64) (Merchant, error) {
	if !actor.Sees(id) {
		return Merchant{}, fault.Missing()
	}
	return s.Find(ctx, actor.ApplicationID, id)
}

// Find is Get for flows, whose own right the caller has checked.
func (s *Service) Find(ctx context.Context, applicationID, id int64) (Merchant, error) {
	m, err := pg.Find[Merchant](ctx, s.deps.Pool, `SELECT `+columns+` FROM merchants m
		WHERE m.application_id = @application_id AND m.id = @id`,
		pg.Args{"application_id": applicationID, "id": id, "machine": s.deps.Clock.Machine()})
	return s.derive(m), err
}

// NameTx reads a merchant's name within a transaction.
func NameTx(ctx context.Context, tx *pg.Tx, applicationID, id int64) (string, error) {
	return pg.Value[string](ctx, tx, `SELECT name FROM merchants WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": applicationID, "id": id})
}

// ListInput selects a page of merchants; what is not set selects all.
type ListInput struct {
	Page           page.Input[int64]
	Created        page.Times
	Statuses       []string
	Organizations  []int64
	Countries      []string
	Currencies     []string
	ExternalID     *string // at most one merchant has it
	HasWalletA     *bool
	HasDAFProvider *bool
	PayoutsPaused  *bool
	Metadata       map[string]string // pairs that a merchant's metadata have, among others
	Words          *string           // beginnings of words of its name or references, its id or its external id
}

// List returns one page of the application's merchants.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Merchant], error) {
	if err := s.deps.Check.Check(actor, authz.MerchantRead); err != nil {
		return page.Of[Merchant]{}, err
	}
	args := selected(actor, in)
	args["machine"] = s.deps.Clock.Machine()
	return pg.Page(ctx, s.deps.Pool, in.Page, selectPage, args, s.derive)
}

// MostCounted is where counting ends: there are more.
const MostCounted = 10_000

// Count says how many merchants the list has on all of its pages, up to one more than [MostCounted].
func (s *Service) Count(ctx context.Context, actor authz.Actor, in ListInput) (int64, error) {
	if err := s.deps.Check.Check(actor, authz.MerchantRead); err != nil {
		return 0, err
	}
	args := selected(actor, in)
	args["most"] = MostCounted + 1
	return pg.Value[int64](ctx, s.deps.Pool, `SELECT count(*)
		FROM (SELECT FROM merchants m`+selection+` LIMIT @most) counted`, args)
}

// Currencies are those that the actor's merchants are paid in.
func (s *Service) Currencies(ctx context.Context, actor authz.Actor) ([]money.Currency, error) {
	if err := s.deps.Check.Check(actor, authz.MerchantRead); err != nil {
		return nil, err
	}
	return pg.Value[[]money.Currency](ctx, s.deps.Pool, `SELECT coalesce(array_agg(DISTINCT m.currency), '{}')::text[]
		FROM merchants m`+selection, selected(actor, ListInput{}))
}

// selected are the arguments of a selection.
func selected(actor authz.Actor, in ListInput) pg.Args {
	return pg.Args{
		"application_id": actor.ApplicationID, "seen": actor.Within(nil),
		"statuses": in.Statuses, "organizations": in.Organizations, "countries": in.Countries,
		"currencies":  in.Currencies,
		"external_id": in.ExternalID, "has_wallet_a": in.HasWalletA, "has_daf_provider": in.HasDAFProvider,
		"paused": in.PayoutsPaused, "metadata": pairs(in.Metadata),
		"words": in.Words, "beginnings": textindex.Beginnings(deref(in.Words)), "from": in.Created.From,
		"until": in.Created.Until,
	}
}

const selectPage = `SELECT ` + columns + ` FROM merchants m` + selection

const selection = `
	WHERE m.application_id = @application_id
		AND (@seen::bigint[] IS NULL OR m.id = ANY (@seen))
		AND (@statuses::text[] IS NULL OR m.status = ANY (@statuses))
		AND (@organizations::bigint[] IS NULL OR m.organization_id = ANY (@organizations))
		AND (@countries::text[] IS NULL OR m.country = ANY (@countries))
		AND (@currencies::text[] IS NULL OR m.currency = ANY (@currencies))
		AND (@external_id::text IS NULL OR m.external_id = @external_id)
		AND (@has_wallet_a::boolean IS NULL OR m.has_wallet_a = @has_wallet_a)
		AND (@has_daf_provider::boolean IS NULL OR m.has_daf_provider = @has_daf_provider)
		AND (@paused::boolean IS NULL OR (m.payouts_paused_reason IS NOT NULL) = @paused)
		AND m.metadata @> @metadata
		AND (@words::text IS NULL OR m.words @@ to_tsquery('pg_catalog.simple', @beginnings) OR m.id::text = @words
			OR m.external_id = @words)
		AND (@from::timestamptz IS NULL OR m.created_at >= @from)
		AND (@until::timestamptz IS NULL OR m.created_at < @until)`

// Several reads those of some merchants that exist for the actor, by their ids.
func (s *Service) Several(ctx context.Context, actor authz.Actor, merchants []int64) (map[int64]Merchant, error) {
	if err := authz.Reads(s.deps.Check, actor, "merchant"); err != nil {
		return nil, err
	}
	all, err := pg.All[Merchant](ctx, s.deps.Pool, `SELECT `+columns+` FROM merchants m
		WHERE m.application_id = @application_id AND m.id = ANY (@merchants::bigint[])`,
		pg.Args{"application_id": actor.ApplicationID, "merchants": actor.Within(merchants),
			"machine": s.deps.Clock.Machine()})
	out := make(map[int64]Merchant, len(all))
	for _, m := range all {
		out[m.ID] = s.derive(m)
	}
	return out, err
}
