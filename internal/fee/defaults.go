package fee

import (
	"context"
	"errors"

	"svcpay/internal/audit"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/pg"
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

// DefaultsTx returns the rates to copy to a merchant that the transaction creates.
func DefaultsTx(ctx context.Context, tx *pg.Tx, applicationID int64) (Rates, error) {
	d, err := defaults(ctx, tx, applicationID)
	return d.Rates, err
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
	if err := s.Check.Check(actor, authz.FeeDefaultRead); err != nil {
		return Defaults{}, err
	}
	d, err := defaults(ctx, s.Pool, actor.ApplicationID)
	d.Livemode = s.Live
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
	m, err := s.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return Defaults{}, err
	}
	var out Defaults
	err = pg.InTx(ctx, s.Pool, func(tx *pg.Tx) (err error) {
		if err := (series{applicationID: actor.ApplicationID}).lockTx(ctx, tx); err != nil {
			return err
		}
		if out, err = defaults(ctx, tx, actor.ApplicationID); err != nil {
			return err
		}
		if out.Version != version {
			return fault.New(fault.KindChanged, "object_changed", "Somebody changed these fees meanwhile. Look at both changes, then decide.").
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
			r.args(pg.Args{"application_id": actor.ApplicationID, "version": out.Version, "updated_at": *out.UpdatedAt}))
		return s.audit.DoneTx(tx, actor, authz.FeeDefaultManage, about, before, out)
	})
	out.Livemode = s.Live
	return out, err
}
