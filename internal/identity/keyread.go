package identity

import (
	"context"
	"errors"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// KeyListInput selects a page of keys; what is not set selects all.
type KeyListInput struct {
	Page     page.Input[ids.Key]
	Kinds    []string
	Statuses []string // as [Key.Status] tells them
}

// ListKeys returns one page of the application's keys, those that no longer work among them.
func (s *Service) ListKeys(ctx context.Context, actor authz.Actor, in KeyListInput) (page.Of[Key], error) {
	if err := s.check.Check(actor, authz.KeyRead); err != nil {
		return page.Of[Key]{}, err
	}
	return pg.Page(ctx, s.pool, in.Page, `
		SELECT `+keyColumns+` FROM api_keys
		WHERE application_id = @application_id AND (@kinds::text[] IS NULL OR kind = ANY (@kinds))
			AND (@statuses::text[] IS NULL OR CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= @now THEN 'expired'
				WHEN replaced_by IS NOT NULL THEN 'replaced' ELSE 'active' END = ANY (@statuses))`,
		pg.Args{"application_id": actor.ApplicationID, "kinds": in.Kinds, "statuses": in.Statuses, "now": s.now()}, s.derive)
}

// GetKey returns a key of the actor's application, whether it works or not. A malformed id, an unknown one and
// another application's get the same fault.
func (s *Service) GetKey(ctx context.Context, actor authz.Actor, id string) (Key, error) {
	if err := s.check.Check(actor, authz.KeyRead); err != nil {
		return Key{}, err
	}
	keyID, err := ids.ParseKey(id)
	if err != nil {
		return Key{}, fault.Missing()
	}
	k, err := pg.Find[Key](ctx, s.pool, `SELECT `+keyColumns+` FROM api_keys WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": actor.ApplicationID, "id": keyID})
	return s.derive(k), err
}

// KeyBefore returns the key that was rolled to another one; false if none was.
func (s *Service) KeyBefore(ctx context.Context, actor authz.Actor, id ids.Key) (Key, bool, error) {
	if err := s.check.Check(actor, authz.KeyRead); err != nil {
		return Key{}, false, err
	}
	k, err := pg.One[Key](ctx, s.pool, `SELECT `+keyColumns+` FROM api_keys WHERE application_id = @application_id AND replaced_by = @id`,
		pg.Args{"application_id": actor.ApplicationID, "id": id})
	if errors.Is(err, pg.ErrNone) {
		return Key{}, false, nil
	}
	return s.derive(k), err == nil, err
}
