package apikey

import (
	"context"
	"net/netip"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

// Key is an API key without its text: the record and the API's object.
type Key struct {
	ID            ids.Key       `db:"id" json:"id"`
	Object        string        `db:"-" json:"object"` // api_key
	Livemode      bool          `db:"-" json:"livemode"`
	ApplicationID int64         `db:"application_id" json:"-"`
	Name          string        `db:"name" json:"name"`
	Kind          Kind          `db:"kind" json:"kind"`
	Prefix        string        `db:"-" json:"prefix"` // how the key begins
	Last4         string        `db:"last4" json:"last4"`
	Rights        []authz.Right `db:"rights" json:"rights"`       // every right for a secret key, none for a public one
	Merchants     []int64       `db:"merchants" json:"merchants"` // the only ones that it sees; none is all
	// AllowedIPs are the networks that the key may be used from; none is everywhere.
	AllowedIPs []netip.Prefix `db:"allowed_ips" json:"allowed_ips"`
	// AllowedOrigins are the pages that may use a public key; none is any page in the sandbox and no
	// page in production.
	AllowedOrigins []string `db:"allowed_origins" json:"-"`
	// MerchantDomains lets pages of the domains of the merchant that is paid use a public key, too.
	MerchantDomains bool `db:"merchant_domains" json:"-"`
	// AnyAncestor lets pages of any site embed those pages.
	AnyAncestor bool          `db:"any_ancestor" json:"-"`
	PublicValue *string       `db:"public_value" json:"-"` // a public key's text; no one keeps the others'
	CreatedAt   instant.Time  `db:"created_at" json:"created_at"`
	ExpiresAt   *instant.Time `db:"expires_at" json:"expires_at"`
	RevokedAt   *instant.Time `db:"revoked_at" json:"-"`
	ReplacedBy  *ids.Key      `db:"replaced_by" json:"replaced_by"` // what it was rolled to
	Version     int           `db:"version" json:"-"`               // one more with every change
	// LastUsedAt and LastUsedIP are up to a minute old. Of public keys there is no address.
	LastUsedAt *instant.Time `db:"last_used_at" json:"last_used_at"`
	LastUsedIP *netip.Addr   `db:"last_used_ip" json:"last_used_ip"`
}

const columns = `id, application_id, name, kind, last4, rights, merchants, allowed_ips, allowed_origins,
	merchant_domains, any_ancestor, public_value, created_at, expires_at, revoked_at, replaced_by, version,
	last_used_at, last_used_ip`

// Status says the outcome of a key.
type Status string

// The statuses.
const (
	Active   Status = "active"
	Replaced Status = "replaced" // rolled; it works until it expires
	Expired  Status = "expired"
	Revoked  Status = "revoked"
)

// Status is the outcome of the key by now.
func (k Key) Status(now time.Time) Status {
	switch {
	case k.RevokedAt != nil:
		return Revoked
	case k.ExpiresAt != nil && !now.Before(k.ExpiresAt.Time):
		return Expired
	case k.ReplacedBy != nil:
		return Replaced
	}
	return Active
}

// kept is what the audit log keeps of a key: the API's object with what that does not say.
type kept struct {
	Key
	AllowedOrigins  []string      `json:"allowed_origins"`
	MerchantDomains bool          `json:"merchant_domains"`
	AnyAncestor     bool          `json:"any_ancestor"`
	RevokedAt       *instant.Time `json:"revoked_at"`
}

func (s *Service) record(k Key) kept {
	return kept{s.derive(k), k.AllowedOrigins, k.MerchantDomains, k.AnyAncestor, k.RevokedAt}
}

// derive fills the members that follow from others.
func (s *Service) derive(k Key) Key {
	k.Object, k.Livemode, k.Prefix = "api_key", s.env == Production, k.Kind.prefix(s.env)
	if k.Kind == Secret {
		k.Rights = authz.Rights()
	}
	return k
}

// Issued is a key that was just made, with its text. Of a secret or restricted key this is the
// only time that anybody sees it: the text is "" if an earlier request with the same claim made it.
type Issued struct {
	Key
	Text string
}

// CreateInput describes a key to make.
type CreateInput struct {
	Kind Kind
	Name string
	// Rights are what a restricted key may do; it has one at least, and write has read in it.
	Rights []authz.Right
	// Merchants are the only ones whose objects a restricted key sees; none means all.
	Merchants []int64
	// AllowedIPs are addresses and networks (192.0.2.7, 2001:db8::/32) that a secret or restricted key
	// may be used from; none means everywhere.
	AllowedIPs []string
	// AllowedOrigins bounds the pages that may use a public key; each as [check.IsOriginPattern] wants it.
	// None means any page in the sandbox and no page in production.
	AllowedOrigins []string
	// MerchantDomains lets pages of the domains of the merchant that is paid use a public key, too.
	MerchantDomains bool
	// AnyAncestor lets pages of any site embed those pages; otherwise each page around a form must be allowed, too.
	AnyAncestor bool
	// ExpiresAt ends the key's life; zero means never.
	ExpiresAt time.Time
	// Claim has the key made once; nil for a request that cannot be sent twice.
	Claim *idempotency.Claim
}

// Create makes a key of the actor's application. An application that does not exist is missing.
func (s *Service) Create(ctx context.Context, actor authz.Actor, in CreateInput) (Issued, error) {
	if err := s.audit.Allow(ctx, actor, authz.KeyManage, audit.Of("api_key", "", 0)); err != nil {
		return Issued{}, err
	}
	now := s.now()
	key, fs := in.key(now)
	if err := s.checkMerchants(ctx, &fs, actor.ApplicationID, key.Merchants); err != nil {
		return Issued{}, err
	}
	if err := fs.Err(); err != nil {
		return Issued{}, err
	}
	key.ID, key.ApplicationID, key.CreatedAt = ids.NewKey(now), actor.ApplicationID, instant.Of(now)
	var out Issued
	made, err := idempotency.Once(ctx, s.pool, in.Claim, now, key.ID.Bytes(), func(tx *pg.Tx) (Key, error) {
		var err error
		if out, err = s.issueTx(tx, actor, key); err != nil {
			return Key{}, err
		}
		return out.Key, s.mailTx(ctx, tx, out.Key, ChangeMade, actor)
	})
	switch {
	case pg.Violated(err) == "api_keys_application_id_fkey":
		return Issued{}, fault.Missing()
	case err != nil:
		return Issued{}, err
	case made.Prior != nil:
		return s.issuedBefore(ctx, actor, *made.Prior)
	}
	return out, nil
}

// issuedBefore is the key that an earlier request with the same claim made; no one has its text any more.
func (s *Service) issuedBefore(ctx context.Context, actor authz.Actor, p idempotency.Prior) (Issued, error) {
	k, err := s.Get(ctx, actor, ids.KeyFrom(p.ObjectID).String())
	if k.PublicValue != nil {
		return Issued{Key: k, Text: *k.PublicValue}, err
	}
	return Issued{Key: k}, err
}

// issueTx queues a key with a new text.
func (s *Service) issueTx(tx *pg.Tx, actor authz.Actor, k Key) (Issued, error) {
	text := keyText{kind: k.Kind, env: s.env, text: newText(k.Kind, s.env)}
	var hash []byte
	k.Version, k.Last4, k.PublicValue = 1, text.last4(), nil
	if k.Kind == Public {
		k.PublicValue = &text.text
	} else {
		hash = text.hash()
	}
	tx.Later(`
		INSERT INTO api_keys (id, application_id, kind, name, last4, secret_hash, public_value, rights, merchants,
			allowed_ips, allowed_origins, merchant_domains, any_ancestor, expires_at, created_at)
		VALUES (@id, @application_id, @kind, @name, @last4, @secret_hash, @public_value, @rights, @merchants,
			@allowed_ips, @allowed_origins, @merchant_domains, @any_ancestor, @expires_at, @created_at)`,
		pg.Args{"id": k.ID, "application_id": k.ApplicationID, "kind": k.Kind, "name": k.Name, "last4": k.Last4,
			"secret_hash": hash, "public_value": k.PublicValue, "rights": k.Rights, "merchants": k.Merchants,
			"allowed_ips": k.AllowedIPs, "allowed_origins": k.AllowedOrigins,
			"merchant_domains": k.MerchantDomains, "any_ancestor": k.AnyAncestor, "expires_at": k.ExpiresAt,
			"created_at": k.CreatedAt})
	out := Issued{Key: s.derive(k), Text: text.text}
	return out, s.audit.DoneTx(tx, actor, authz.KeyManage, audit.Of("api_key", k.ID.String(), 0), nil, s.record(k))
}

// UpdateInput is what can change of a key; nil leaves a member alone. What a key may do is fixed for its
// life: other rights are another key.
type UpdateInput struct {
	ID              ids.Key
	Name            *string
	AllowedIPs      *[]string // as in [CreateInput]
	AllowedOrigins  *[]string // as in [CreateInput]
	MerchantDomains *bool     // as in [CreateInput]
	AnyAncestor     *bool     // as in [CreateInput]
	// IfVersion is the version that the editor saw; nil is any.
	IfVersion *int
}

// Update changes a key, whether it works or not; other binaries notice within two seconds. Faults: the mistakes of
// the input; object_changed if someone changed it since the editor looked.
func (s *Service) Update(ctx context.Context, actor authz.Actor, in UpdateInput) (Key, error) {
	return s.change(ctx, actor, in.ID, func(_ *pg.Tx, k *Key) error {
		if err := check.Version(in.IfVersion, k.Version); err != nil {
			return err
		}
		var fs fault.Fields
		if in.Name != nil {
			checkName(&fs, in.Name)
			k.Name = *in.Name
		}
		if in.AllowedIPs != nil {
			k.AllowedIPs = parseAllowedIPs(&fs, k.Kind, *in.AllowedIPs)
		}
		if in.AllowedOrigins != nil {
			k.AllowedOrigins = parseAllowedOrigins(&fs, k.Kind, *in.AllowedOrigins)
		}
		if in.MerchantDomains != nil {
			k.MerchantDomains = checkOfPages(&fs, k.Kind, "merchant_domains", *in.MerchantDomains)
		}
		if in.AnyAncestor != nil {
			k.AnyAncestor = checkOfPages(&fs, k.Kind, "any_ancestor", *in.AnyAncestor)
		}
		return fs.Err()
	})
}

// Revoke ends a key at once; other binaries notice within two seconds. One that was revoked before
// stays as it is.
func (s *Service) Revoke(ctx context.Context, actor authz.Actor, id ids.Key) (Key, error) {
	return s.change(ctx, actor, id, func(tx *pg.Tx, k *Key) error {
		if k.RevokedAt != nil {
			return nil
		}
		k.RevokedAt = instant.Ptr(s.now())
		return s.mailTx(ctx, tx, *k, ChangeRevoked, actor)
	})
}

// change locks a key of the actor's application, lets change work on it and keeps what it made.
func (s *Service) change(ctx context.Context, actor authz.Actor, id ids.Key,
	change func(*pg.Tx, *Key) error) (Key, error) {
	if err := s.audit.Allow(ctx, actor, authz.KeyManage, audit.Of("api_key", id.String(), 0)); err != nil {
		return Key{}, err
	}
	var k Key
	err := pg.InTx(ctx, s.pool, func(tx *pg.Tx) (err error) {
		k, err = s.changeTx(ctx, tx, actor, id, change)
		return err
	})
	if err != nil {
		return Key{}, err
	}
	s.cache.forget()
	return k, nil
}

func (s *Service) changeTx(ctx context.Context, tx *pg.Tx, actor authz.Actor, id ids.Key,
	change func(*pg.Tx, *Key) error) (Key, error) {
	k, err := pg.Find[Key](ctx, tx, `
		SELECT `+columns+` FROM api_keys WHERE application_id = @application_id AND id = @id FOR NO KEY UPDATE`,
		pg.Args{"application_id": actor.ApplicationID, "id": id})
	if err != nil {
		return Key{}, err
	}
	before := s.record(k)
	if err := change(tx, &k); err != nil {
		return Key{}, err
	}
	k.Version++
	tx.Later(`
		UPDATE api_keys SET name = @name, allowed_ips = @allowed_ips, allowed_origins = @allowed_origins,
			merchant_domains = @merchant_domains, any_ancestor = @any_ancestor, expires_at = @expires_at,
			revoked_at = @revoked_at, replaced_by = @replaced_by, version = @version
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": k.ApplicationID, "id": k.ID, "name": k.Name, "allowed_ips": k.AllowedIPs,
			"allowed_origins": k.AllowedOrigins, "merchant_domains": k.MerchantDomains,
			"any_ancestor": k.AnyAncestor, "expires_at": k.ExpiresAt, "revoked_at": k.RevokedAt,
			"replaced_by": k.ReplacedBy, "version": k.Version})
	return s.derive(k), s.audit.DoneTx(tx, actor, authz.KeyManage, audit.Of("api_key", id.String(), 0), before,
		s.record(k))
}
