package fee

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
)

// Fallback is what merchants begin with in an application that has set no defaults: nothing, save
// 2 % of DAF donations.
func Fallback() Rates { return Rates{DAFPercentage: 2000} }

// Defaults are the rates that an application's new merchants begin with. It is the API's object.
type Defaults struct {
	Object   string `db:"-" json:"object"`
	Version  int    `db:"version" json:"version"` // 0: never set, the rates are Fallback's
	Livemode bool   `db:"-" json:"livemode"`
	Rates
	UpdatedAt *instant.Time `db:"updated_at" json:"updated_at"`
}

// DefaultsTx returns the rates to copy to a merchant that the transaction creates, and whether anyone has set them.
func DefaultsTx(ctx context.Context, tx *pg.Tx, applicationID int64) (_ Rates, set bool, err error) {
	d, err := defaults(ctx, tx, applicationID)
	return d.Rates, d.Version > 0, err
}

// BeginTx queues the defaults that a new application begins with. What is there already stays.
func BeginTx(tx *pg.Tx, applicationID int64, r Rates, now time.Time) {
	tx.Later(`
		INSERT INTO fee_defaults (application_id,
			`+columns+`, version, updated_at) VALUES (@application_id, `+values+`, 1, @now)
		ON CONFLICT (application_id) DO NOTHING`,
		r.args(pg.Args{"application_id": applicationID, "now": instant.Of(now)}))
}

// ParseRates reads rates from a JSON object of settings. Those that are left out are as in [Fallback].
func ParseRates(text string) (Rates, error) {
	var p Proposal
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return Rates{}, errors.New("not a JSON object of fees: see docs/fees.md")
	}
	if d.More() {
		return Rates{}, errors.New("more than one JSON object")
	}
	r := p.On(Fallback())
	return r, r.Validate().Err()
}

// newest bounds how many merchants [Service.WithoutFees] looks at.
const newest = 1000

// WithoutFees counts the merchants that pay no fees, of the newest, while the actor's application has no defaults.
func (s *Service) WithoutFees(ctx context.Context, actor authz.Actor) (int64, error) {
	if err := s.deps.Check.Check(actor, authz.FeeDefaultManage); err != nil {
		return 0, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return 0, err
	}
	return pg.Value[int64](ctx, s.deps.Pool, `
		SELECT count(*) FROM (
			SELECT m.application_id, m.id FROM merchants m WHERE m.application_id = @application_id
				AND m.status <> 'closed'
				AND NOT EXISTS (SELECT FROM fee_defaults d WHERE d.application_id = @application_id)
			ORDER BY m.id DESC LIMIT @newest) m
		JOIN LATERAL (
			SELECT `+columns+` FROM fee_schedules f
			WHERE f.application_id = m.application_id AND f.merchant_id = m.id AND f.canceled_at IS NULL
				AND f.effective_at <= @now
			ORDER BY f.effective_at DESC, f.version DESC LIMIT 1) f ON true
		WHERE (f.authorization_fee, f.capture_fee, f.amex_surcharge_percentage, f.ach_transfer_flat_fee,
			f.ach_transfer_percentage, f.ach_transfer_failed_fee, f.ach_return_fee, f.chargeback_fee, f.retrieval_fee,
				coalesce(f.platform_flat_fee, 0),
			coalesce(f.platform_percentage, 0)) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`,
		pg.Args{"application_id": actor.ApplicationID, "now": m.At, "newest": newest})
}

func defaults(ctx context.Context, db pg.Querier, applicationID int64) (Defaults, error) {
	d, err := pg.One[Defaults](ctx, db, `
		SELECT version, `+columns+`, updated_at FROM fee_defaults WHERE application_id = @application_id`,
		pg.Args{"application_id": applicationID})
	if errors.Is(err, pg.ErrNone) {
		d, err = Defaults{Rates: Fallback()}, nil
	}
	d.Object = "fee_defaults"
	return d, err
}

// Defaults returns what new merchants of the actor's application begin with.
func (s *Service) Defaults(ctx context.Context, actor authz.Actor) (Defaults, error) {
	if err := s.deps.Check.Check(actor, authz.FeeDefaultRead); err != nil {
		return Defaults{}, err
	}
	d, err := defaults(ctx, s.deps.Pool, actor.ApplicationID)
	d.Livemode = s.deps.Livemode
	return d, err
}

// SetDefaults replaces what new merchants of the actor's application begin with; those that exist
// keep their rates. version is the one that the editor saw: the fault is object_changed if it is
// not the latest, with the two versions. Setting what is set already changes nothing.
func (s *Service) SetDefaults(ctx context.Context, actor authz.Actor, version int, r Rates) (Defaults, error) {
	about := audit.Of("fee_defaults", "", 0)
	if err := s.audit.Allow(ctx, actor, authz.FeeDefaultManage, about); err != nil {
		return Defaults{}, err
	}
	if err := r.Validate().Err(); err != nil {
		return Defaults{}, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return Defaults{}, err
	}
	var out Defaults
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) (err error) {
		if err := (series{applicationID: actor.ApplicationID}).lockTx(ctx, tx); err != nil {
			return err
		}
		if out, err = defaults(ctx, tx, actor.ApplicationID); err != nil {
			return err
		}
		if out.Version != version {
			return fault.New(fault.KindChanged, "object_changed",
				"Someone else just changed these fees. Compare both changes, then decide.").
				With("base", version).With("latest", out.Version)
		}
		if out.Version > 0 && out.Rates.Equal(r) {
			return nil
		}
		before := out
		out.Version, out.Rates, out.UpdatedAt = out.Version+1, r, instant.Ptr(m.At)
		tx.Later(`
			INSERT INTO fee_defaults (application_id, `+columns+`, version, updated_at)
			VALUES (@application_id, `+values+`, @version, @updated_at)
			ON CONFLICT (application_id) DO UPDATE SET (`+columns+`, version, updated_at) =
				(`+values+`, @version, @updated_at)`,
			r.args(pg.Args{"application_id": actor.ApplicationID, "version": out.Version,
				"updated_at": *out.UpdatedAt}))
		return s.audit.DoneTx(tx, actor, authz.FeeDefaultManage, about, before, out)
	})
	out.Livemode = s.deps.Livemode
	return out, err
}
