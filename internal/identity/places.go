package identity

import (
	"cmp"
	"context"
	"slices"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
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
	Actor  authz.Actor
	Place  Place
	Places []Place // all of theirs, first what is widest: for people of the deployment, each application
}

// placeRow is what a place is made of.
type placeRow struct {
	GrantID         int64   `db:"grant_id"`
	ApplicationID   int64   `db:"application_id"`
	ApplicationName string  `db:"application_name"`
	Organization    string  `db:"organization_name"`
	Merchants       []int64 `db:"merchants"`
}

// in is the place that a grant leads to.
func (r placeRow) in(g Grant) Place {
	d := g.Domain()
	out := Place{Domain: d, Role: authz.Role(g.Role), Application: Named{r.ApplicationID, r.ApplicationName}}
	if d.Scope == authz.ScopeOrganization {
		out.Organization = Named{d.ID, r.Organization}
	}
	return out
}

// errNoRole is for someone who has no role anywhere.
var errNoRole = fault.New(fault.KindForbidden, "role_missing",
	"You have no role yet. Ask an administrator to assign you a role.")

// Act is the session's person where they chose to act, else in the first of their places; fault
// role_missing for someone who has no role anywhere. People of the deployment who chose no application, or one that
// is gone, work in the first. The request's id and address are the caller's to add.
func (s *Service) Act(ctx context.Context, v Session) (Acting, error) {
	if len(v.Grants) == 0 {
		return Acting{}, errNoRole
	}
	acts := v.Grants[max(0, slices.IndexFunc(v.Grants, func(g Grant) bool { return g.Domain() == v.Domain }))]
	rows, known := inApplications(v.Grants)
	if !known {
		var err error
		if rows, err = s.places(ctx, v.ID, acts.ID, v.ApplicationID); err != nil {
			return Acting{}, err
		}
	}
	mine := slices.DeleteFunc(slices.Clone(rows), func(r placeRow) bool { return r.GrantID != acts.ID })
	if len(mine) == 0 { // taken away since
		return Acting{}, errNoRole
	}
	at := slices.MinFunc(mine, func(x, y placeRow) int { return cmp.Compare(x.ApplicationID, y.ApplicationID) })
	if i := slices.IndexFunc(mine, func(r placeRow) bool { return r.ApplicationID == v.ApplicationID }); i >= 0 {
		at = mine[i]
	}
	out := Acting{Place: at.in(acts)}
	out.Actor = authz.Actor{Role: out.Place.Role, ApplicationID: at.ApplicationID, PersonID: v.ID, PersonName: v.Name,
		Granted:        acts.Domain(),
		OrganizationID: out.Place.Organization.ID, Merchants: at.Merchants}
	for _, r := range rows {
		// else given since
		if i := slices.IndexFunc(v.Grants, func(g Grant) bool { return g.ID == r.GrantID }); i >= 0 {
			out.Places = append(out.Places, r.in(v.Grants[i]))
		}
	}
	return out, nil
}

// inApplications are the places of grants that are all of applications: the grants tell all of them. False of others.
func inApplications(grants []Grant) (rows []placeRow, known bool) {
	for _, g := range grants {
		d := g.Domain()
		if d.Scope != authz.ScopeApplication {
			return nil, false
		}
		rows = append(rows, placeRow{GrantID: g.ID, ApplicationID: d.ID, ApplicationName: g.ScopeName})
	}
	return rows, true
}

// mostPlaces bounds the applications that people of the deployment choose from at once. The one that they chose and
// the first are always among them.
const mostPlaces = 200

// places reads where a person can act, with the merchants of the organization that one grant is of.
func (s *Service) places(ctx context.Context, personID, acts, chosen int64) ([]placeRow, error) {
	return pg.All[placeRow](ctx, s.pool, `
		SELECT g.id AS grant_id, coalesce(a.id, 0) AS application_id, coalesce(a.name, '') AS application_name,
			coalesce(o.name, '') AS organization_name,
			CASE WHEN g.id = @acts AND o.id IS NOT NULL THEN ARRAY(SELECT m.id FROM merchants m
				WHERE m.application_id = a.id AND m.organization_id = o.id ORDER BY m.id) ELSE '{}' END AS merchants
		FROM grants g
		LEFT JOIN organizations o ON o.id = g.organization_id
		LEFT JOIN LATERAL (SELECT id, name FROM applications
			WHERE g.scope = 'system' OR id = coalesce(g.application_id, o.application_id)
			ORDER BY id <> @chosen, id <> (SELECT min(id) FROM applications), name, id LIMIT @most) a ON true
		WHERE g.person_id = @person ORDER BY array_position(ARRAY['system', 'app', 'org'], g.scope), a.name,
			o.name, g.id, a.id`,
		pg.Args{"person": personID, "acts": acts, "chosen": chosen, "most": mostPlaces})
}

// place reads what a domain of an application or an organization leads to.
func (s *Service) place(ctx context.Context, d authz.Domain) (placeRow, error) {
	return pg.One[placeRow](ctx, s.pool, `
		SELECT 0::bigint AS grant_id, a.id AS application_id, a.name AS application_name,
			coalesce(o.name, '') AS organization_name,
			CASE WHEN o.id IS NULL THEN '{}' ELSE ARRAY(SELECT m.id FROM merchants m
				WHERE m.application_id = a.id AND m.organization_id = o.id ORDER BY m.id) END AS merchants
		FROM applications a LEFT JOIN organizations o ON o.application_id = a.id AND o.id = @id AND @scope = 'org'
		WHERE CASE @scope::text WHEN 'app' THEN a.id = @id ELSE o.id = @id END`,
		pg.Args{"scope": d.Scope, "id": d.ID})
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
		pg.Args{"domain": to.String(), "application": chosen, "hash": digest(sessionID), "person": v.ID})
	return pg.Hit(n, err, fault.Missing())
}
