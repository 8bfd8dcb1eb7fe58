package apikey

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strconv"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
)

// Credentials are what comes with a request to the server API.
type Credentials struct {
	APIKey string // X-API-Key
	AppID  string // X-App-ID
	// From is the address that the request comes from; the zero one is unknown.
	From netip.Addr
	// RequestID is that of the request.
	RequestID ids.Request
}

// PublicUse is what a public key allows.
type PublicUse struct {
	Actor authz.Actor
	Pages // without the domains of a merchant
}

func refuse(code, message string) error {
	return fault.New(fault.KindUnauthenticated, code, message)
}

var (
	errInvalid    = refuse("api_key_invalid", "This API key is not valid.")
	errAppMissing = refuse("app_id_missing", "Send your application's id in the X-App-ID header.")
	errMissing    = refuse("api_key_missing", "Send your secret key in the X-API-Key header.")
	errPublic     = refuse("public_key_not_allowed", "This is a public key; the server API needs a secret key.")
	errMode       = refuse("key_mode_mismatch", "This key belongs to another environment.")
	errRevoked    = refuse("api_key_invalid", "This API key is not valid.") // told like an unknown one
	errExpired    = refuse("api_key_expired", "This API key has expired.")
	errAppOther   = refuse("app_id_mismatch", "This API key does not belong to the application named in X-App-ID.")
	errAddress    = fault.New(fault.KindForbidden, "ip_not_allowed", "This API key may not be used from this address.")
)

// Authenticate turns the credentials of a server request into an actor, or into a fault of kind
// unauthenticated; forbidden (ip_not_allowed) for a key that is right, from an address that is not.
// A key is looked up by its digest, so no comparison depends on a secret.
func (s *Service) Authenticate(ctx context.Context, c Credentials) (authz.Actor, error) {
	k, err := s.authenticate(ctx, c)
	if err != nil {
		s.noteRefused(ctx, c, k, err)
		return authz.Actor{}, err
	}
	s.noteUse(ctx, k, c.From.Unmap().WithZone(""))
	return k.actor(), nil
}

// authenticate finds the key of credentials. With an error, the key is the one that the error is about; zero if there
// is none.
func (s *Service) authenticate(ctx context.Context, c Credentials) (Key, error) {
	switch {
	case c.APIKey == "":
		return Key{}, errMissing
	case c.AppID == "":
		return Key{}, errAppMissing
	}
	text, err := parseText(c.APIKey)
	switch {
	case err != nil:
		return Key{}, errInvalid
	case text.kind == Public:
		return Key{}, errPublic
	case text.env != s.env:
		return Key{}, errMode
	}
	k, err := s.liveKey(ctx, text)
	switch {
	case err != nil:
	case strconv.FormatInt(k.ApplicationID, 10) != c.AppID:
		err = errAppOther
	case !k.allowsFrom(c.From.Unmap().WithZone("")):
		err = errAddress
	}
	return k, err
}

// noteRefused records that credentials were refused.
func (s *Service) noteRefused(ctx context.Context, c Credentials, k Key, err error) {
	a, account := authz.Actor{Address: c.From, RequestID: c.RequestID}, c.APIKey
	if !k.ID.IsZero() {
		known := k.actor()
		known.Address, known.RequestID = a.Address, a.RequestID
		a, account = known, ""
	}
	if errors.Is(err, errRevoked) { // its code is that of an unknown key
		s.events.Add(ctx, security.Event{Kind: security.APIKey, Outcome: "api_key_revoked", Actor: a})
		return
	}
	s.events.Outcome(ctx, security.APIKey, a, account, err)
}

// allowsFrom reports whether the key may be used from an address; an unknown one is on no list.
func (k Key) allowsFrom(from netip.Addr) bool {
	return len(k.AllowedIPs) == 0 ||
		slices.ContainsFunc(k.AllowedIPs, func(p netip.Prefix) bool { return p.Contains(from) })
}

var roleOf = map[Kind]authz.Role{Secret: authz.RoleSecretKey, Restricted: authz.RoleRestrictedKey,
	Public: authz.RolePublicKey}

// actor is who calls with the key.
func (k Key) actor() authz.Actor {
	a := authz.Actor{Role: roleOf[k.Kind], ApplicationID: k.ApplicationID, KeyID: k.ID, KeyName: k.Name}
	if k.Kind == Restricted {
		a.Restriction = &authz.Restriction{Rights: k.Rights, Merchants: k.Merchants}
	}
	return a
}

// Public finds what a public key allows. Faults carry the library's codes:
// invalid_public_key, public_key_revoked, environment_mismatch.
func (s *Service) AuthenticatePublic(ctx context.Context, value string) (PublicUse, error) {
	text, err := parseText(value)
	switch {
	case err != nil || text.kind != Public:
		return PublicUse{}, refuse("invalid_public_key", "This public key is not valid.")
	case text.env != s.env:
		return PublicUse{}, refuse("environment_mismatch",
			"This public key belongs to another environment than this script.")
	}
	k, err := s.liveKey(ctx, text)
	switch {
	case errors.Is(err, errInvalid):
		return PublicUse{}, refuse("invalid_public_key", "This public key is not valid.")
	case errors.Is(err, errExpired), errors.Is(err, errRevoked):
		return PublicUse{}, refuse("public_key_revoked", "This public key is no longer valid.")
	case err != nil:
		return PublicUse{}, err
	}
	s.noteUse(ctx, k, netip.Addr{})
	return PublicUse{k.actor(), Pages{AllowedOrigins: k.AllowedOrigins, MerchantDomains: k.MerchantDomains,
		AnyAncestor: k.AnyAncestor}}, nil
}

// liveKey finds a key that works now, as it was at most two seconds ago. With errRevoked or errExpired, it returns the
// key that used to work.
func (s *Service) liveKey(ctx context.Context, text keyText) (Key, error) {
	digest := string(text.hash())
	hit, ok := s.cache.get(digest)
	if !ok {
		k, err := s.findKey(ctx, text)
		if err != nil && !errors.Is(err, pg.ErrNone) {
			return Key{}, err
		}
		hit = cached{key: k, found: err == nil}
		s.cache.put(digest, hit)
	}
	if !hit.found {
		return Key{}, errInvalid
	}
	switch hit.key.Status(s.now()) {
	case Revoked:
		return hit.key, errRevoked
	case Expired:
		return hit.key, errExpired
	}
	return hit.key, nil
}

func (s *Service) findKey(ctx context.Context, text keyText) (Key, error) {
	if text.kind == Public {
		return pg.One[Key](ctx, s.pool, `SELECT `+columns+` FROM api_keys WHERE public_value = @value`,
			pg.Args{"value": text.text})
	}
	return pg.One[Key](ctx, s.pool, `SELECT `+columns+` FROM api_keys WHERE secret_hash = @hash`,
		pg.Args{"hash": text.hash()})
}
