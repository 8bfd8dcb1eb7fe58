package rule

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// Deps are what the service works with.
type Deps struct {
	Pool     *pgxpool.Pool
	Check    authz.Checker
	Clock    *clock.Clock
	Livemode bool // livemode of the records
}

// Service holds the use-cases of rules and lists.
type Service struct {
	deps  Deps
	audit *audit.Log
}

// New makes the service.
func New(d Deps) *Service {
	return &Service{deps: d, audit: audit.New(d.Pool, d.Check, d.Clock.Machine)}
}

// Rules are a merchant's rules as the API has them. Version is 0 and UpdatedAt nil of a merchant that never had any.
// Every change of the rules or the lists makes a version.
type Rules struct {
	Object     string `json:"object"`
	Version    int    `json:"version"`
	Livemode   bool   `json:"livemode"`
	MerchantID int64  `json:"merchant_id"`
	Settings
	Entries   int           `json:"entries"` // of the lists
	UpdatedAt *instant.Time `json:"updated_at"`
}

// Get returns a merchant's rules.
func (s *Service) Get(ctx context.Context, actor authz.Actor, merchantID int64) (Rules, error) {
	if err := s.deps.Check.Check(actor, authz.CardRuleRead); err != nil {
		return Rules{}, err
	}
	if err := Reach(ctx, s.deps.Pool, actor, merchantID); err != nil {
		return Rules{}, err
	}
	return s.find(ctx, s.deps.Pool, owner{actor.ApplicationID, merchantID})
}

// Reach returns resource_missing for a merchant that does not exist for the actor.
func Reach(ctx context.Context, q pg.Querier, actor authz.Actor, merchantID int64) error {
	if !actor.Sees(merchantID) {
		return fault.Missing()
	}
	known, err := pg.Value[bool](ctx, q, `SELECT EXISTS (SELECT FROM merchants
		WHERE application_id = @application_id AND id = @merchant_id)`,
		owner{actor.ApplicationID, merchantID}.args(nil))
	if err == nil && !known {
		return fault.Missing()
	}
	return err
}

func (o owner) args(more pg.Args) pg.Args {
	out := pg.Args{"application_id": o.ApplicationID, "merchant_id": o.MerchantID}
	for name, value := range more {
		out[name] = value
	}
	return out
}

type counted struct {
	row
	Entries int `db:"entries"`
}

func (s *Service) find(ctx context.Context, q pg.Querier, o owner) (Rules, error) {
	out := Rules{Object: "card_rules", Livemode: s.deps.Livemode, MerchantID: o.MerchantID}
	r, err := pg.One[counted](ctx, q, `SELECT `+columns+`, (SELECT count(*) FROM card_rule_entries e
			WHERE e.application_id = r.application_id AND e.merchant_id = r.merchant_id)::int AS entries
		FROM card_rules r WHERE application_id = @application_id AND merchant_id = @merchant_id`, o.args(nil))
	switch {
	case errors.Is(err, pg.ErrNone):
		return out, nil
	case err != nil:
		return Rules{}, err
	}
	out.Version, out.Settings, out.Entries, out.UpdatedAt = r.Version, r.settings(), r.Entries, &r.UpdatedAt
	return out, nil
}

// Set replaces a merchant's rules. The lists stay as they are. Rules that stay the same make no version.
func (s *Service) Set(ctx context.Context, actor authz.Actor, merchantID int64, in Proposal,
	claim *idempotency.Claim) (idempotency.Result[Rules], error) {
	return change(ctx, s, actor, merchantID, in, claim, func(tx *pg.Tx, l locked) (Rules, error) {
		if err := check.Version(in.IfVersion, l.before.Version); err != nil {
			return l.before, err
		}
		after := l.before
		if after.Settings = in.Settings(); after.Settings.equal(l.before.Settings) {
			return l.before, nil
		}
		return s.changedTx(tx, actor, l, after, listChange{})
	})
}

// locked are a merchant's rules while a transaction changes them.
type locked struct {
	owner
	moment instant.Moment
	before Rules
}

// change checks a request about a merchant's rules, and carries it out once while the rules are locked.
func change[T any](ctx context.Context, s *Service, actor authz.Actor, merchantID int64,
	in interface{ Validate() fault.Fields }, claim *idempotency.Claim,
	do func(*pg.Tx, locked) (T, error)) (idempotency.Result[T], error) {
	none := idempotency.Result[T]{}
	if err := s.audit.Allow(ctx, actor, authz.CardRuleManage, subject(merchantID)); err != nil {
		return none, err
	}
	if err := in.Validate().Err(); err != nil {
		return none, err
	}
	if err := Reach(ctx, s.deps.Pool, actor, merchantID); err != nil {
		return none, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return none, err
	}
	o := owner{actor.ApplicationID, merchantID}
	return idempotency.Once(ctx, s.deps.Pool, claim, m.Machine, objectID(merchantID), func(tx *pg.Tx) (T, error) {
		before, err := s.lockTx(ctx, tx, o, m)
		if err != nil {
			var none T
			return none, err
		}
		return do(tx, locked{o, m, before})
	})
}

func subject(merchantID int64) audit.Subject { return audit.Of("card_rules", "", merchantID) }

// objectID is the id of a merchant's rules where ids of several kinds share a column: neither a ULID, whose time is not
// zero, nor the id of the merchant itself.
func objectID(merchantID int64) (out [16]byte) {
	out[7] = 1
	binary.BigEndian.PutUint64(out[8:], uint64(merchantID))
	return out
}

// lockTx locks a merchant's rules, which it makes if there are none. Version 1 of new rules blocks nothing.
func (s *Service) lockTx(ctx context.Context, tx *pg.Tx, o owner, m instant.Moment) (Rules, error) {
	if _, err := tx.Exec(ctx, `INSERT INTO card_rules (application_id, merchant_id, updated_at)
		VALUES (@application_id, @merchant_id, @now) ON CONFLICT DO NOTHING`,
		o.args(pg.Args{"now": m.At})); err != nil {
		return Rules{}, err
	}
	if _, err := tx.Exec(ctx, `SELECT FROM card_rules WHERE application_id = @application_id
		AND merchant_id = @merchant_id FOR NO KEY UPDATE`, o.args(nil)); err != nil {
		return Rules{}, err
	}
	return s.find(ctx, tx, o)
}

// changedTx queues the next version of rules that the transaction has locked.
func (s *Service) changedTx(tx *pg.Tx, actor authz.Actor, l locked, after Rules, lists listChange) (Rules, error) {
	now := instant.Of(l.moment.At)
	after.Version, after.UpdatedAt = l.before.Version+1, &now
	args := l.args(pg.Args{"version": after.Version, "cvc": after.CVCMismatch, "postal": after.PostalCodeMismatch,
		"minimum": after.MinimumAmount, "list": nil, "countries": []string{}, "now": l.moment.At})
	switch {
	case after.AllowedCountries != nil:
		args["list"], args["countries"] = Allow, after.AllowedCountries
	case after.BlockedCountries != nil:
		args["list"], args["countries"] = Block, after.BlockedCountries
	}
	for name, w := range map[string]*Window{"card": after.CardVelocity, "email": after.EmailVelocity,
		"address": after.AddressVelocity} {
		args[name+"_charges"], args[name+"_hours"] = nil, nil
		if w != nil {
			args[name+"_charges"], args[name+"_hours"] = w.Charges, w.Hours
		}
	}
	tx.Later(`
		UPDATE card_rules SET version = @version, block_cvc_mismatch = @cvc, block_postal_code_mismatch = @postal,
			minimum_amount = @minimum, country_list = @list, countries = @countries, card_charges = @card_charges,
			card_hours = @card_hours, email_charges = @email_charges, email_hours = @email_hours,
			address_charges = @address_charges, address_hours = @address_hours, updated_at = @now
		WHERE application_id = @application_id AND merchant_id = @merchant_id`, args)
	if err := emitTx(tx, actor, l.moment, l.before, after); err != nil {
		return after, err
	}
	return after, s.audit.DoneTx(tx, actor, authz.CardRuleManage, subject(l.MerchantID),
		audited(l.before, lists.removed), audited(after, lists.added))
}

// emitTx queues card_rules.updated.
func emitTx(tx *pg.Tx, actor authz.Actor, m instant.Moment, before, after Rules) error {
	previous, err := outbox.Changed(before, after)
	if err != nil {
		return err
	}
	return outbox.EmitTx(tx, m, outbox.Event{ApplicationID: actor.ApplicationID, MerchantID: after.MerchantID,
		Type: "card_rules.updated", ObjectID: objectID(after.MerchantID), Position: int64(after.Version),
		Object: after, Previous: previous, RequestID: actor.RequestID, Source: outbox.SourceOf(actor)})
}

func (s Settings) equal(other Settings) bool {
	return slices.Equal(s.AllowedCountries, other.AllowedCountries) &&
		slices.Equal(s.BlockedCountries, other.BlockedCountries) && s.CVCMismatch == other.CVCMismatch &&
		s.PostalCodeMismatch == other.PostalCodeMismatch &&
		same(s.MinimumAmount, other.MinimumAmount) && same(s.CardVelocity, other.CardVelocity) &&
		same(s.EmailVelocity, other.EmailVelocity) && same(s.AddressVelocity, other.AddressVelocity)
}

func same[T comparable](a, b *T) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
