package apikey

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
)

// Me is what a key finds out about itself.
type Me struct {
	Object      string        `json:"object"` // me
	Livemode    bool          `json:"livemode"`
	APIVersion  string        `json:"api_version"` // that the application is pinned to
	Application MyApplication `json:"application"`
	Key         Key           `json:"key"`
}

// MyApplication is the application that a key belongs to.
type MyApplication struct {
	ID   int64  `db:"id" json:"id"`
	Name string `db:"name" json:"name"`
}

// Me tells a key its application and its own rights and limits. An actor without a key is missing.
func (s *Service) Me(ctx context.Context, actor authz.Actor) (Me, error) {
	if err := s.check.Check(actor, authz.MeRead); err != nil {
		return Me{}, err
	}
	k, err := pg.Find[Key](ctx, s.pool, `SELECT `+columns+` FROM api_keys WHERE application_id = @application_id
		AND id = @id`, pg.Args{"application_id": actor.ApplicationID, "id": actor.KeyID})
	if err != nil {
		return Me{}, err
	}
	type row struct {
		MyApplication
		APIVersion string `db:"api_version"`
	}
	a, err := pg.One[row](ctx, s.pool, `SELECT id, name, api_version FROM applications WHERE id = @application_id`,
		pg.Args{"application_id": actor.ApplicationID})
	if err != nil {
		return Me{}, err
	}
	return Me{Object: "me", Livemode: s.env == Production, APIVersion: a.APIVersion, Application: a.MyApplication,
		Key: s.derive(k)}, nil
}
