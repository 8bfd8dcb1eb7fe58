package apikey

import (
	"context"
	"errors"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// ListInput selects a page of keys; what is not set selects all.
type ListInput struct {
	Page     page.Input[ids.Key]
	Kinds    []string
	Statuses []string // as [Key.Status] tells them
}

// List returns one page of the application's keys, those that no longer work among them.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Key], error) {
	if err := s.check.Check(actor, authz.KeyRead); err != nil {
		return page.Of[Key]{}, err
	}
	return pg.Page(ctx, s.pool, in.Page, `
		SELECT `+columns+` FROM api_keys
		WHERE application_id = @application_id AND (@kinds::text[] IS NULL OR kind = ANY (@kinds))
			AND (@statuses::text[] IS NULL OR CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= @now
				THEN 'expired'
				WHEN replaced_by IS NOT NULL THEN 'replaced' ELSE 'active' END = ANY (@statuses))`,
		pg.Args{"application_id": actor.ApplicationID, "kinds": in.Kinds, "statuses": in.Statuses, "now": s.now()},
		s.derive)
}

// Get returns a key of the actor's application, whether it works or not. A malformed id, an unknown one and
// another application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Key, error) {
	if err := s.check.Check(actor, authz.KeyRead); err != nil {
		return Key{}, err
	}
	keyID, err := ids.ParseKey(id)
	if err != nil {
		return Key{}, fault.Missing()
	}
	k, err := pg.Find[Key](ctx, s.pool, `SELECT `+columns+` FROM api_keys WHERE application_id = @application_id
		AND id = @id`, pg.Args{"application_id": actor.ApplicationID, "id": keyID})
	return s.derive(k), err
}

// Before returns the key that was rolled to another one; false if none was.
func (s *Service) Before(ctx context.Context, actor authz.Actor, id ids.Key) (Key, bool, error) {
	if err := s.check.Check(actor, authz.KeyRead); err != nil {
		return Key{}, false, err
	}
	k, err := pg.One[Key](ctx, s.pool, `SELECT `+columns+` FROM api_keys WHERE application_id = @application_id
		AND replaced_by = @id`, pg.Args{"application_id": actor.ApplicationID, "id": id})
	if errors.Is(err, pg.ErrNone) {
		return Key{}, false, nil
	}
	return s.derive(k), err == nil, err
}
