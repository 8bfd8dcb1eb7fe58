package identity

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strconv"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
)

// Credentials are what comes with a request to the server API.
type Credentials struct {
	APIKey string // X-API-Key
	AppID  string // X-App-ID
	// From is the address that the request comes from; the zero one is unknown.
	From netip.Addr
}

// PublicKeyUse is what a public key allows.
type PublicKeyUse struct {
	Actor          authz.Actor
	AllowedOrigins []string
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
	errAddress    = fault.New(fault.KindForbidden, "ip_not_allowed", "This API key may not be used from this address.")
)

// Authenticate turns the credentials of a server request into an actor, or into a fault of kind
// unauthenticated; forbidden (ip_not_allowed) for a key that is right, from an address that is not.
// A key is looked up by its digest, so no comparison depends on a secret.
func (s *Service) Authenticate(ctx context.Context, c Credentials) (authz.Actor, error) {
	switch {
	case c.APIKey == "":
		return authz.Actor{}, errKeyMissing
	case c.AppID == "":
		return authz.Actor{}, errAppMissing
	}
	text, err := parseKeyText(c.APIKey)
	switch {
	case err != nil:
		return authz.Actor{}, errKeyInvalid
	case text.kind == PublicKey:
		return authz.Actor{}, errKeyPublic
	case text.env != s.env:
		return authz.Actor{}, errKeyMode
	}
	k, err := s.liveKey(ctx, text)
	if err != nil {
		return authz.Actor{}, err
	}
	from := c.From.Unmap().WithZone("")
	switch {
	case strconv.FormatInt(k.ApplicationID, 10) != c.AppID:
		return authz.Actor{}, errAppOther
	case !k.allowsFrom(from):
		return authz.Actor{}, errAddress
	}
	s.noteUse(ctx, k, from)
	return k.actor(), nil
}

// allowsFrom tells whether the key may be used from an address; an unknown one is on no list.
func (k Key) allowsFrom(from netip.Addr) bool {
	return len(k.AllowedIPs) == 0 || slices.ContainsFunc(k.AllowedIPs, func(p netip.Prefix) bool { return p.Contains(from) })
}

var roleOf = map[KeyKind]authz.Role{SecretKey: authz.RoleSecretKey, RestrictedKey: authz.RoleRestrictedKey, PublicKey: authz.RolePublicKey}

// actor is who calls with the key.
func (k Key) actor() authz.Actor {
	a := authz.Actor{Role: roleOf[k.Kind], ApplicationID: k.ApplicationID, KeyID: k.ID, KeyName: k.Name}
	if k.Kind == RestrictedKey {
		a.Restriction = &authz.Restriction{Rights: k.Rights, Merchants: k.Merchants}
	}
	return a
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
	k, err := s.liveKey(ctx, text)
	switch {
	case errors.Is(err, errKeyInvalid):
		return PublicKeyUse{}, refuseKey("invalid_public_key", "This public key is not valid.")
	case errors.Is(err, errKeyExpired), errors.Is(err, errKeyRevoked):
		return PublicKeyUse{}, refuseKey("public_key_revoked", "This public key is no longer valid.")
	case err != nil:
		return PublicKeyUse{}, err
	}
	s.noteUse(ctx, k, netip.Addr{})
	return PublicKeyUse{Actor: k.actor(), AllowedOrigins: k.AllowedOrigins}, nil
}

// liveKey finds a key that works now, as it was at most two seconds ago.
func (s *Service) liveKey(ctx context.Context, text keyText) (Key, error) {
	digest := string(text.hash())
	hit, ok := s.cache.get(digest)
	if !ok {
		k, err := s.findKey(ctx, text)
		if err != nil && !errors.Is(err, pg.ErrNone) {
			return Key{}, err
		}
		hit = cachedKey{key: k, found: err == nil}
		s.cache.put(digest, hit)
	}
	if !hit.found {
		return Key{}, errKeyInvalid
	}
	switch hit.key.Status(s.now()) {
	case KeyRevoked:
		return Key{}, errKeyRevoked
	case KeyExpired:
		return Key{}, errKeyExpired
	}
	return hit.key, nil
}

func (s *Service) findKey(ctx context.Context, text keyText) (Key, error) {
	if text.kind == PublicKey {
		return pg.One[Key](ctx, s.pool, `SELECT `+keyColumns+` FROM api_keys WHERE public_value = @value`, pg.Args{"value": text.text})
	}
	return pg.One[Key](ctx, s.pool, `SELECT `+keyColumns+` FROM api_keys WHERE secret_hash = @hash`, pg.Args{"hash": text.hash()})
}
