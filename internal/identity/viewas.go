package identity

import (
	"context"
	"errors"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
)

const (
	viewLife   = 30 * time.Minute
	mostReason = 500 // characters
)

// View is how someone of the deployment looks at the portal for a while: through another role, without changing
// anything.
type View struct {
	Role   authz.Role   `db:"role" json:"role"`
	In     string       `db:"domain" json:"domain"`
	Reason string       `db:"reason" json:"reason"`
	EndsAt instant.Time `db:"ends_at" json:"ends_at"`
}

// NewView describes a view that someone wants.
type NewView struct {
	Role   authz.Role
	Domain authz.Domain
	Reason string
}

func aboutView(d authz.Domain, applicationID int64) audit.Subject {
	return aboutTeam("view", d.String(), d, applicationID)
}

// StartView has a session look through a role of an application or organization from now on, for half an hour,
// in the place of a view of before. Faults: permission_denied; the mistakes of the input; resource_missing.
func (s *Service) StartView(ctx context.Context, actor authz.Actor, sessionID string, in NewView) (View, error) {
	about := aboutView(in.Domain, actor.ApplicationID)
	if err := s.audit.Allow(ctx, actor, authz.ViewAs, about); err != nil {
		return View{}, err
	}
	in.Reason = strings.TrimSpace(in.Reason)
	var fs fault.Fields
	if in.Reason == "" {
		check.Required(&fs, "reason", false)
	} else {
		check.Prose(&fs, "reason", in.Reason, mostReason)
	}
	if in.Role.Scope() == authz.ScopeSystem || in.Role.Scope() != in.Domain.Scope || !in.Domain.Whole() {
		fs.Add("role", "parameter_invalid", "Choose a role.")
	}
	if err := fs.Err(); err != nil {
		return View{}, err
	}
	known := in.Domain.Scope == authz.ScopeApplication && in.Domain.ID == actor.ApplicationID
	if in.Domain.Scope == authz.ScopeOrganization {
		var err error
		if known, err = HasOrganization(ctx, s.pool, actor.ApplicationID, in.Domain.ID); err != nil {
			return View{}, err
		}
	}
	if !known {
		return View{}, fault.Missing()
	}
	v := View{Role: in.Role, In: in.Domain.String(), Reason: in.Reason, EndsAt: instant.Of(s.now().Add(viewLife))}
	err := pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		tx.Later(`
			INSERT INTO portal_views (session_hash, role, domain, reason, ends_at)
				VALUES (@hash, @role, @domain, @reason, @ends)
			ON CONFLICT (session_hash) DO UPDATE
				SET role = excluded.role, domain = excluded.domain, reason = excluded.reason,
					ends_at = excluded.ends_at`,
			pg.Args{"hash": digest(sessionID), "role": v.Role, "domain": v.In, "reason": v.Reason, "ends": v.EndsAt})
		return s.audit.DoneTx(tx, actor, authz.ViewAs, about, nil, v)
	})
	return v, err
}

// Viewing returns the view of a session, if one lasts.
func (s *Service) Viewing(ctx context.Context, sessionID string) (View, bool, error) {
	v, err := pg.One[View](ctx, s.pool, `
		SELECT role, domain, reason, ends_at FROM portal_views WHERE session_hash = @hash AND ends_at > @now`,
		pg.Args{"hash": digest(sessionID), "now": s.now()})
	if errors.Is(err, pg.ErrNone) {
		return View{}, false, nil
	}
	return v, err == nil, err
}

// Through is someone who looks through a view: they see what its role sees, as far as their own may, and change
// nothing.
func (s *Service) Through(ctx context.Context, own Acting, v View) (Acting, error) {
	d, ok := authz.ParseDomain(v.In)
	if !ok {
		return Acting{}, fault.Missing()
	}
	row, err := s.place(ctx, d)
	if err != nil {
		return Acting{}, err
	}
	out := own
	out.Place = row.in(Grant{Role: string(v.Role), Scope: string(d.Scope), ScopeID: d.ID})
	out.Actor.Viewer, out.Actor.Role, out.Actor.ApplicationID, out.Actor.Granted = own.Actor.Role, v.Role,
		row.ApplicationID, d
	if d.Scope == authz.ScopeOrganization {
		out.Actor.OrganizationID, out.Actor.Merchants = d.ID, row.Merchants
	}
	return out, nil
}

// EndView has a session's person be themselves again. Without a view it changes nothing.
func (s *Service) EndView(ctx context.Context, actor authz.Actor, sessionID string) error {
	return pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		v, err := pg.One[View](ctx, tx, `DELETE FROM portal_views WHERE session_hash = @hash
			RETURNING role, domain, reason, ends_at`, pg.Args{"hash": digest(sessionID)})
		if errors.Is(err, pg.ErrNone) {
			return nil
		}
		if err != nil {
			return err
		}
		d, _ := authz.ParseDomain(v.In)
		return s.audit.DoneTx(tx, actor, authz.ViewAs, aboutView(d, actor.ApplicationID), v, nil)
	})
}
