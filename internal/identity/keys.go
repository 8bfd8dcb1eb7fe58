package identity

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/pg"
)

// NewKey describes a key to make.
type NewKey struct {
	ApplicationID int64
	Kind          KeyKind
	Name          string
	// AllowedOrigins bounds the pages that may use a public key; each as [IsOrigin] wants it.
	// None means any page in the sandbox and no page in production.
	AllowedOrigins []string
	// ExpiresAt ends the key's life; zero means never.
	ExpiresAt time.Time
}

// PublicKeyUse is what a public key allows.
type PublicKeyUse struct {
	Actor          authz.Actor
	AllowedOrigins []string
}

type keyRow struct {
	ID             ids.Key    `db:"id"`
	ApplicationID  int64      `db:"application_id"`
	Name           string     `db:"name"`
	AllowedOrigins []string   `db:"allowed_origins"`
	ExpiresAt      *time.Time `db:"expires_at"`
	RevokedAt      *time.Time `db:"revoked_at"`
}

func refuseKey(code, message string) error {
	return fault.New(fault.KindUnauthenticated, code, message)
}

var (
	errKeyInvalid = refuseKey("api_key_invalid", "This API key is not valid.")
	errAppMissing = refuseKey("app_id_missing", "Send your application's id in the X-App-ID header.")
	errKeyMissing = refuseKey("api_key_missing", "Send your secret key in the X-API-Key header.")
	errKeyPublic  = refuseKey("public_key_not_allowed", "This is a public key; the server API needs a secret key.")
	errKeyMode    = refuseKey("key_mode_mismatch", "This key belongs to another environment.")
	errKeyRevoked = refuseKey("api_key_invalid", "This API key is not valid.") // told like an unknown one
	errKeyExpired = refuseKey("api_key_expired", "This API key has expired.")
	errAppOther   = refuseKey("app_id_mismatch", "This API key does not belong to the application named in X-App-ID.")
)

// Authenticate turns the two headers of a server request into an actor, or into a fault of
// kind unauthenticated. A key is looked up by its digest, so no comparison depends on a secret.
func (s *Service) Authenticate(ctx context.Context, apiKey, appID string) (authz.Actor, error) {
	switch {
	case apiKey == "":
		return authz.Actor{}, errKeyMissing
	case appID == "":
		return authz.Actor{}, errAppMissing
	}
	text, err := parseKeyText(apiKey)
	switch {
	case err != nil:
		return authz.Actor{}, errKeyInvalid
	case text.kind == PublicKey:
		return authz.Actor{}, errKeyPublic
	case text.env != s.env:
		return authz.Actor{}, errKeyMode
	}
	row, err := s.liveKey(ctx, text)
	if err != nil {
		return authz.Actor{}, err
	}
	if strconv.FormatInt(row.ApplicationID, 10) != appID {
		return authz.Actor{}, errAppOther
	}
	return actor(authz.RoleSecretKey, row), nil
}

// PublicKey finds what a public key allows. Faults carry the library's codes:
// invalid_public_key, public_key_revoked, environment_mismatch.
func (s *Service) PublicKey(ctx context.Context, value string) (PublicKeyUse, error) {
	text, err := parseKeyText(value)
	switch {
	case err != nil || text.kind != PublicKey:
		return PublicKeyUse{}, refuseKey("invalid_public_key", "This public key is not valid.")
	case text.env != s.env:
		return PublicKeyUse{}, refuseKey("environment_mismatch", "This public key belongs to another environment than this script.")
	}
	row, err := s.liveKey(ctx, text)
	switch {
	case errors.Is(err, errKeyInvalid):
		return PublicKeyUse{}, refuseKey("invalid_public_key", "This public key is not valid.")
	case errors.Is(err, errKeyExpired), errors.Is(err, errKeyRevoked):
		return PublicKeyUse{}, refuseKey("public_key_revoked", "This public key is no longer valid.")
	case err != nil:
		return PublicKeyUse{}, err
	}
	return PublicKeyUse{Actor: actor(authz.RolePublicKey, row), AllowedOrigins: row.AllowedOrigins}, nil
}

func actor(role authz.Role, row keyRow) authz.Actor {
	return authz.Actor{Role: role, ApplicationID: row.ApplicationID, KeyID: row.ID, KeyName: row.Name}
}

func (s *Service) liveKey(ctx context.Context, text keyText) (keyRow, error) {
	digest := string(text.hash())
	hit, ok := s.cache.get(digest)
	if !ok {
		row, err := s.findKey(ctx, text)
		if err != nil && !errors.Is(err, pg.ErrNone) {
			return keyRow{}, err
		}
		hit = cachedKey{key: row, found: err == nil}
		s.cache.put(digest, hit)
	}
	switch {
	case !hit.found:
		return keyRow{}, errKeyInvalid
	case hit.key.RevokedAt != nil:
		return keyRow{}, errKeyRevoked
	case hit.key.ExpiresAt != nil && !s.now().Before(*hit.key.ExpiresAt):
		return keyRow{}, errKeyExpired
	}
	return hit.key, nil
}

func (s *Service) findKey(ctx context.Context, text keyText) (keyRow, error) {
	const columns = `SELECT id, application_id, name, allowed_origins, expires_at, revoked_at FROM api_keys `
	if text.kind == SecretKey {
		return pg.One[keyRow](ctx, s.pool, columns+`WHERE secret_hash = @hash`, pg.Args{"hash": text.hash()})
	}
	return pg.One[keyRow](ctx, s.pool, columns+`WHERE public_value = @value`, pg.Args{"value": text.text})
}

// CreateKey makes a key and returns its text, which for a secret key is seen only this once. An
// allowed origin that is none is a fault (parameter_invalid).
func (s *Service) CreateKey(ctx context.Context, in NewKey) (string, ids.Key, error) {
	if slices.ContainsFunc(in.AllowedOrigins, func(o string) bool { return !IsOrigin(o) }) {
		return "", ids.Key{}, fault.Invalid("parameter_invalid",
			"Write each origin as browsers do, such as https://shop.example: lowercase, no path, no port of the scheme's own.").On("allowed_origins")
	}
	text := newKeyText(in.Kind, s.env)
	parsed, err := parseKeyText(text)
	if err != nil {
		return "", ids.Key{}, err
	}
	now := s.now()
	args := pg.Args{
		"id": ids.NewKey(now), "application_id": in.ApplicationID, "kind": in.Kind, "name": in.Name,
		"secret_hash": nil, "public_value": nil, "now": now, "expires_at": nil,
		"allowed_origins": append([]string{}, in.AllowedOrigins...),
	}
	if in.Kind == SecretKey {
		args["secret_hash"] = parsed.hash()
	} else {
		args["public_value"] = text
	}
	if !in.ExpiresAt.IsZero() {
		args["expires_at"] = in.ExpiresAt
	}
	_, err = pg.Exec(ctx, s.pool, `
		INSERT INTO api_keys (id, application_id, kind, name, secret_hash, public_value, allowed_origins, expires_at, created_at)
		VALUES (@id, @application_id, @kind, @name, @secret_hash, @public_value, @allowed_origins, @expires_at, @now)`, args)
	return text, args["id"].(ids.Key), err
}

// RevokeKey ends a key at once; other binaries notice within two seconds. A key of another
// application is missing.
func (s *Service) RevokeKey(ctx context.Context, applicationID int64, id ids.Key) error {
	n, err := pg.Exec(ctx, s.pool, `
		UPDATE api_keys SET revoked_at = @now WHERE application_id = @application_id AND id = @id AND revoked_at IS NULL`,
		pg.Args{"application_id": applicationID, "id": id, "now": s.now()})
	if err != nil {
		return err
	}
	if n == 0 {
		return fault.Missing()
	}
	s.cache.forget()
	return nil
}
