package identity

import (
	"context"
	"errors"
	"slices"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/pg"
)

// Place is somewhere to act in: a domain that a person has a role in and, for the whole deployment, an
// application to work in.
type Place struct {
	Domain      authz.Domain
	Role        authz.Role
	Application Named // 0 of a deployment that has none
	// Organization is that of the domain; 0 if the domain is none.
	Organization Named
}

// Named is a record with the name that people know it by.
type Named struct {
	ID   int64
	Name string
}

// Acting is a person in a place.
type Acting struct {
	Actor authz.Actor
	Place Place
}

// placeRow is what a place is made of.
type placeRow struct {
	ApplicationID   int64   `db:"application_id"`
	ApplicationName string  `db:"application_name"`
	Organization    string  `db:"organization_name"`
	Merchants       []int64 `db:"merchants"`
}

// Act is the session's person where they chose to act, else in the first of their places; fault
// role_missing for somebody who has no role anywhere. The request's id and address are the caller's to add.
func (s *Service) Act(ctx context.Context, v Session) (Acting, error) {
	if len(v.Grants) == 0 {
		return Acting{}, fault.New(fault.KindForbidden, "role_missing", "You have no role yet. Ask whoever added you here to give you one.")
	}
	g := v.Grants[max(0, slices.IndexFunc(v.Grants, func(g Grant) bool { return g.Domain() == v.Domain }))]
	row, err := s.place(ctx, g, v.ApplicationID)
	if err != nil {
		return Acting{}, err
	}
	out := Acting{Place: Place{Domain: g.Domain(), Role: authz.Role(g.Role), Application: Named{row.ApplicationID, row.ApplicationName}}}
	out.Actor = authz.Actor{Role: authz.Role(g.Role), ApplicationID: row.ApplicationID, PersonID: v.ID, PersonName: v.Name, Granted: g.Domain()}
	if g.Scope == string(authz.ScopeOrganization) {
		out.Place.Organization = Named{g.ScopeID, row.Organization}
		out.Actor.OrganizationID, out.Actor.Merchants = g.ScopeID, row.Merchants
	}
	return out, nil
}

// place reads what a grant leads to. People of the deployment who chose no application, or one that is
// gone, work in the first.
func (s *Service) place(ctx context.Context, g Grant, chosen int64) (placeRow, error) {
	row, err := pg.One[placeRow](ctx, s.pool, `
		SELECT a.id AS application_id, a.name AS application_name, coalesce(o.name, '') AS organization_name,
			CASE WHEN o.id IS NULL THEN '{}' ELSE ARRAY(SELECT m.id FROM merchants m
				WHERE m.application_id = a.id AND m.organization_id = o.id ORDER BY m.id) END AS merchants
		FROM applications a LEFT JOIN organizations o ON o.application_id = a.id AND o.id = @id AND @scope = 'org'
		WHERE CASE @scope::text WHEN 'system' THEN true WHEN 'app' THEN a.id = @id ELSE o.id = @id END
		ORDER BY a.id <> @chosen, a.id LIMIT 1`,
		pg.Args{"scope": g.Scope, "id": g.ScopeID, "chosen": chosen})
	if errors.Is(err, pg.ErrNone) && g.Scope == string(authz.ScopeSystem) { // a deployment without applications
		err = nil
	}
	return row, err
}

// mostPlaces bounds the applications that people of the deployment choose from at once.
const mostPlaces = 200

// Places lists where a person can act, first what is widest: for people of the deployment, each application.
func (s *Service) Places(ctx context.Context, p Person) ([]Place, error) {
	type row struct {
		GrantID         int64  `db:"grant_id"`
		ApplicationID   int64  `db:"application_id"`
		ApplicationName string `db:"application_name"`
		Organization    string `db:"organization_name"`
	}
	rows, err := pg.All[row](ctx, s.pool, `
		SELECT g.id AS grant_id, coalesce(a.id, 0) AS application_id, coalesce(a.name, '') AS application_name,
			coalesce(o.name, '') AS organization_name
		FROM grants g
		LEFT JOIN organizations o ON o.id = g.organization_id
		LEFT JOIN LATERAL (SELECT id, name FROM applications
			WHERE g.scope = 'system' OR id = coalesce(g.application_id, o.application_id) ORDER BY name, id LIMIT @most) a ON true
		WHERE g.person_id = @person ORDER BY array_position(ARRAY['system', 'app', 'org'], g.scope), a.name, o.name, g.id`,
		pg.Args{"person": p.ID, "most": mostPlaces})
	if err != nil {
		return nil, err
	}
	var out []Place
	for _, r := range rows {
		i := slices.IndexFunc(p.Grants, func(g Grant) bool { return g.ID == r.GrantID })
		if i < 0 { // given since
			continue
		}
		g := p.Grants[i]
		place := Place{Domain: g.Domain(), Role: authz.Role(g.Role), Application: Named{r.ApplicationID, r.ApplicationName}}
		if g.Scope == string(authz.ScopeOrganization) {
			place.Organization = Named{g.ScopeID, r.Organization}
		}
		out = append(out, place)
	}
	return out, nil
}

// Switch has the session's person act in another of their places from now on. A place that is not theirs
// is missing.
func (s *Service) Switch(ctx context.Context, sessionID string, v Session, to authz.Domain, applicationID int64) error {
	if !slices.ContainsFunc(v.Grants, func(g Grant) bool { return g.Domain() == to }) {
		return fault.Missing()
	}
	var chosen *int64
	if to.Scope == authz.ScopeSystem && applicationID != 0 {
		chosen = &applicationID
	}
	n, err := pg.Exec(ctx, s.pool, `
		UPDATE portal_sessions SET domain = @domain, application_id = @application
		WHERE id_hash = @hash AND person_id = @person
			AND (@application::bigint IS NULL OR EXISTS (SELECT FROM applications WHERE id = @application))`,
		pg.Args{"domain": to.String(), "application": chosen, "hash": sessionHash(sessionID), "person": v.ID})
	if err == nil && n == 0 {
		err = fault.Missing()
	}
	return err
}
