package identity

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Member is someone with a role in a domain.
type Member struct {
	GrantID        int64        `db:"id" json:"id"`
	PersonID       int64        `db:"person_id" json:"person_id"`
	Name           string       `db:"name" json:"name"`
	Email          string       `db:"email" json:"email"`
	Role           authz.Role   `db:"role" json:"role"`
	Scope          authz.Scope  `db:"scope" json:"scope"`
	ApplicationID  *int64       `db:"application_id" json:"application_id"` // the domain's, or that of its organization
	OrganizationID *int64       `db:"organization_id" json:"organization_id"`
	ScopeName      string       `db:"scope_name" json:"scope_name"`
	CreatedAt      instant.Time `db:"created_at" json:"created_at"`
}

// Domain is where the member has the role.
func (m Member) Domain() authz.Domain { return domainOf(m.Scope, m.ApplicationID, m.OrganizationID) }

func domainOf(scope authz.Scope, application, organization *int64) authz.Domain {
	d := authz.Domain{Scope: scope}
	switch {
	case scope == authz.ScopeApplication && application != nil:
		d.ID = *application
	case scope == authz.ScopeOrganization && organization != nil:
		d.ID = *organization
	}
	return d
}

// inReach selects the grants or invitations t that an actor's team has: the domain's own, those of the
// application that is worked in, and those of its organizations. People of an organization have its own.
const inReach = `
	AND (@organization::bigint <> 0 AND t.organization_id = @organization
		OR @organization = 0 AND (@system::boolean AND t.scope = 'system'
			OR t.application_id = @application::bigint OR o.application_id = @application))`

const memberColumns = `t.id, t.person_id, p.name, p.email, t.role, t.scope,
	coalesce(t.application_id, o.application_id) AS application_id,
	t.organization_id, coalesce(o.name, a.name, '') AS scope_name, t.created_at
	FROM grants t JOIN people p ON p.id = t.person_id
	LEFT JOIN organizations o ON o.id = t.organization_id
	LEFT JOIN applications a ON a.id = t.application_id`

// reach are the arguments of inReach.
func reach(a authz.Actor) pg.Args {
	return pg.Args{"organization": a.OrganizationID, "application": a.ApplicationID,
		"system": a.Domain().Scope == authz.ScopeSystem}
}

// TeamInput selects a page of a team; what is not set selects all.
type TeamInput struct {
	Page  page.Input[int64]
	Roles []string
	// Organization is one of the application's; 0 is any.
	Organization int64
}

// Team returns one page of those who have a role where the actor acts, or below it.
func (s *Service) Team(ctx context.Context, actor authz.Actor, in TeamInput) (page.Of[Member], error) {
	if err := s.check.Check(actor, authz.TeamRead); err != nil {
		return page.Of[Member]{}, err
	}
	args := reach(actor)
	args["roles"], args["of"] = in.Roles, in.Organization
	return pg.Page(ctx, s.pool, in.Page, selectTeam, args, func(m Member) Member { return m })
}

const selectTeam = `SELECT * FROM (SELECT ` + memberColumns + ` WHERE true` + inReach + `) members
	WHERE (@roles::text[] IS NULL OR role = ANY (@roles)) AND (@of::bigint = 0 OR organization_id = @of)`

// Member returns one of the actor's team, or the fault that says that there is none.
func (s *Service) Member(ctx context.Context, actor authz.Actor, grantID int64) (Member, error) {
	if err := s.check.Check(actor, authz.TeamRead); err != nil {
		return Member{}, err
	}
	return member(ctx, s.pool, actor, grantID)
}

func member(ctx context.Context, q pg.Querier, actor authz.Actor, grantID int64) (Member, error) {
	args := reach(actor)
	args["id"] = grantID
	return pg.Find[Member](ctx, q, `SELECT `+memberColumns+` WHERE t.id = @id`+inReach, args)
}

// Organizations lists those that the actor can invite people into, by name: of a great many some, with those that have
// the ids.
func (s *Service) Organizations(ctx context.Context, actor authz.Actor, ids ...int64) ([]Named, error) {
	if err := s.check.Check(actor, authz.TeamRead); err != nil {
		return nil, err
	}
	return pg.All[Named](ctx, s.pool, `
		SELECT id, name FROM (SELECT id, name FROM organizations
			WHERE application_id = @application AND (@organization::bigint = 0 OR id = @organization)
			ORDER BY id <> ALL (@ids::bigint[]), name, id LIMIT @most) offered
		ORDER BY name, id`,
		pg.Args{"application": actor.ApplicationID, "organization": actor.OrganizationID, "ids": ids,
			"most": mostPlaces})
}

// mostNamed bounds the administrators whom someone is told to ask.
const mostNamed = 3

// Administrators names some of those who can give roles where the actor acts, and the place.
func (s *Service) Administrators(ctx context.Context, actor authz.Actor) (names []string, place string, err error) {
	args := grantArgs(actor.Domain())
	args["most"] = mostNamed
	rows, err := pg.All[struct {
		Name  string `db:"name"`
		Place string `db:"place"`
	}](ctx, s.pool, `
		SELECT p.name, coalesce(o.name, a.name, '') AS place FROM grants t JOIN people p ON p.id = t.person_id
		LEFT JOIN organizations o ON o.id = t.organization_id
		LEFT JOIN applications a ON a.id = t.application_id
		WHERE t.scope = @scope AND t.application_id IS NOT DISTINCT
			FROM @application AND t.organization_id IS NOT DISTINCT FROM @organization
			AND t.role IN ('system_admin', 'application_admin', 'organization_admin') ORDER BY t.id LIMIT @most`,
		args)
	for _, r := range rows {
		names, place = append(names, r.Name), r.Place
	}
	return names, place, err
}

// Grantable lists the roles that an actor could give someone, the widest first: none wider than their own.
func Grantable(a authz.Actor) []authz.Role {
	return slices.DeleteFunc(authz.PeopleRoles(), func(r authz.Role) bool {
		return r.Wider(a.Role) || r.Scope() == authz.ScopeSystem && a.Domain().Scope != authz.ScopeSystem
	})
}

// aboutTeam is a domain's team as the audit log names it: in the log of the application, or of the
// deployment.
func aboutTeam(kind, id string, d authz.Domain, applicationID int64) audit.Subject {
	out := audit.Subject{Kind: kind, ID: id, Chain: &applicationID}
	switch d.Scope {
	case authz.ScopeSystem:
		out.Chain = new(int64)
	case authz.ScopeOrganization:
		out.OrganizationID = d.ID
	case authz.ScopeApplication:
	}
	return out
}

// manages is the permission to give roles in a domain.
func manages(d authz.Domain) authz.Permission {
	if d.Scope == authz.ScopeSystem {
		return authz.SystemUserManage
	}
	return authz.TeamManage
}

// tooWide refuses to give a role that stands before the giver's own.
func tooWide(r authz.Role) error {
	return fault.New(fault.KindForbidden, "role_too_wide",
		"You can't assign a role with more access than your own.").With("role", string(r))
}

// mayGrant refuses anyone who may not give a role in a domain, which exists. The domain of others is missing.
func (s *Service) mayGrant(ctx context.Context, actor authz.Actor, r authz.Role, d authz.Domain) error {
	about, needed := aboutTeam("team", d.String(), d, actor.ApplicationID), manages(d)
	if err := s.audit.Allow(ctx, actor, needed, about); err != nil {
		return err
	}
	if r.Wider(actor.Role) {
		return s.audit.Refuse(ctx, actor, needed, about, tooWide(r))
	}
	if r.Scope() != d.Scope {
		return fault.Invalid("parameter_invalid", "This role can't be assigned here.").On("role")
	}
	known, err := s.holds(ctx, actor, d)
	if err == nil && !known {
		err = fault.Missing()
	}
	return err
}

// holds reports whether a domain is the actor's own or below it.
func (s *Service) holds(ctx context.Context, actor authz.Actor, d authz.Domain) (bool, error) {
	switch own := actor.Domain(); {
	case d.Scope == authz.ScopeSystem:
		return own == d, nil
	case own.Scope == authz.ScopeOrganization:
		return own == d, nil
	case d.Scope == authz.ScopeApplication && own.Scope == authz.ScopeSystem:
		return pg.Value[bool](ctx, s.pool, `SELECT EXISTS (SELECT FROM applications
			WHERE id = @id)`, pg.Args{"id": d.ID})
	case d.Scope == authz.ScopeApplication:
		return d.ID == actor.ApplicationID, nil
	}
	return HasOrganization(ctx, s.pool, actor.ApplicationID, d.ID)
}

// SetRole gives a member of the actor's team another role of the same kind of domain; the one that they
// have changes nothing. Their sessions end. Faults: permission_denied, role_too_wide; resource_missing;
// last_administrator.
func (s *Service) SetRole(ctx context.Context, actor authz.Actor, grantID int64, to authz.Role) (Member, error) {
	return s.changeMember(ctx, actor, grantID, func(m Member) (*Member, error) {
		if to.Scope() != m.Scope {
			return nil, fault.Invalid("parameter_invalid", "This role can't be assigned here.").On("role")
		}
		if to.Wider(actor.Role) {
			return nil, tooWide(to)
		}
		m.Role = to
		return &m, nil
	})
}

// RemoveMember takes a member's role in the actor's team away. Their sessions end. Faults as of [Service.SetRole].
func (s *Service) RemoveMember(ctx context.Context, actor authz.Actor, grantID int64) (Member, error) {
	return s.changeMember(ctx, actor, grantID, func(Member) (*Member, error) { return nil, nil })
}

// changeMember changes a grant under the lock of its domain's administrators, or ends it if there is nothing
// after.
func (s *Service) changeMember(ctx context.Context, actor authz.Actor, grantID int64,
	change func(Member) (*Member, error)) (Member, error) {
	about := audit.Of("grant", strconv.FormatInt(grantID, 10), 0)
	if err := s.audit.Allow(ctx, actor, authz.TeamManage, about); err != nil {
		return Member{}, err
	}
	m, err := member(ctx, s.pool, actor, grantID)
	if err != nil {
		return Member{}, err
	}
	if err := s.mayGrant(ctx, actor, m.Role, m.Domain()); err != nil { // who holds a wider role is out of reach
		return Member{}, err
	}
	err = pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		administrators, err := administratorsTx(ctx, tx, m)
		if err != nil {
			return err
		}
		if err := heldTx(ctx, tx, actor, m.Domain()); err != nil {
			return err
		}
		if m, err = member(ctx, tx, actor, grantID); err != nil { // as it is now
			return err
		}
		after, err := change(m)
		if err != nil || after != nil && after.Role == m.Role {
			return err
		}
		if m.Role.Administers() && administrators <= 1 {
			return fault.New(fault.KindConflict, "last_administrator",
				"Add another administrator before removing this one.")
		}
		return s.changeMemberTx(ctx, tx, actor, m, after)
	})
	return m, s.refused(ctx, actor, m.Domain(), about, err)
}

// heldTx refuses to change the team of a domain for a person who holds the role no more that they came with: it may
// have been taken while the request came in. Who takes it from now on waits until the transaction ends.
func heldTx(ctx context.Context, tx *pg.Tx, actor authz.Actor, d authz.Domain) error {
	if !actor.IsPerson() {
		return nil
	}
	args := grantArgs(actor.Domain())
	args["person"], args["role"] = actor.PersonID, actor.Role
	_, err := pg.Value[int64](ctx, tx, `
		SELECT id FROM grants
		WHERE person_id = @person AND role = @role AND scope = @scope AND application_id IS NOT DISTINCT
			FROM @application
			AND organization_id IS NOT DISTINCT FROM @organization FOR SHARE`, args)
	return pg.Or(err, authz.Denied(manages(d)))
}

// refused writes down a refusal that a transaction, which is rolled back, ended with. Any other error is only returned.
func (s *Service) refused(ctx context.Context, actor authz.Actor, d authz.Domain, about audit.Subject,
	err error) error {
	if fault.HasCode(err, "permission_denied") || fault.HasCode(err, "role_too_wide") {
		return s.audit.Refuse(ctx, actor, manages(d), about, err)
	}
	return err
}

// administratorsTx locks the administrators of a member's domain and says how many there are: who takes
// one away waits here for who takes another.
func administratorsTx(ctx context.Context, tx *pg.Tx, m Member) (int, error) {
	args := grantArgs(m.Domain())
	rows, err := pg.All[struct{ ID int64 }](ctx, tx, `
		SELECT id FROM grants
		WHERE scope = @scope AND application_id IS NOT DISTINCT FROM @application AND organization_id IS NOT DISTINCT
			FROM @organization
			AND role IN ('system_admin', 'application_admin', 'organization_admin') ORDER BY id FOR UPDATE`, args)
	return len(rows), err
}

func (s *Service) changeMemberTx(ctx context.Context, tx *pg.Tx, actor authz.Actor, before Member,
	after *Member) error {
	if after == nil {
		tx.Later(`DELETE FROM grants WHERE id = @id`, pg.Args{"id": before.GrantID})
	} else {
		tx.Later(`UPDATE grants SET role = @role WHERE id = @id`, pg.Args{"role": after.Role, "id": before.GrantID})
	}
	// What they offered to others here they may not be able to give any more.
	args := grantArgs(before.Domain())
	args["now"], args["person"] = s.now(), before.PersonID
	ended, err := pg.All[offerID](ctx, tx, `
		UPDATE invitations SET withdrawn_at = @now
		WHERE inviter_id = @person AND accepted_at IS NULL AND withdrawn_at IS NULL AND (@scope = 'system'
			OR @scope = 'app' AND (application_id = @application OR organization_id IN (SELECT id FROM organizations
				WHERE application_id = @application))
			OR @scope = 'org' AND organization_id = @organization) RETURNING id`, args)
	if err != nil {
		return err
	}
	if err := s.endedTx(ctx, tx, actor, ended); err != nil {
		return err
	}
	endSessionsTx(tx, before.PersonID)
	p, about := manages(before.Domain()), aboutTeam("grant", strconv.FormatInt(before.GrantID, 10), before.Domain(),
		actor.ApplicationID)
	if after == nil { // a nil pointer in an interface is not nil
		return s.audit.DoneTx(tx, actor, p, about, before, nil)
	}
	return s.audit.DoneTx(tx, actor, p, about, before, *after)
}

// endSessionsTx queues the end of a person's sessions, whose rights have changed.
func endSessionsTx(tx *pg.Tx, personID int64) {
	tx.Later(`DELETE FROM portal_sessions WHERE person_id = @person`, pg.Args{"person": personID})
}

// grantArgs are the columns of a domain.
func grantArgs(d authz.Domain) pg.Args {
	args := pg.Args{"scope": d.Scope, "application": nil, "organization": nil}
	switch d.Scope {
	case authz.ScopeApplication:
		args["application"] = d.ID
	case authz.ScopeOrganization:
		args["organization"] = d.ID
	case authz.ScopeSystem:
	}
	return args
}

// giveTx gives a person a role in a domain now. Someone who has one there already gets the wider of both.
func giveTx(ctx context.Context, tx *pg.Tx, personID int64, r authz.Role, d authz.Domain,
	now instant.Time) (grantID int64, err error) {
	args := grantArgs(d)
	args["person"], args["role"], args["now"], args["order"] = personID, r, now, authz.PeopleRoles()
	grantID, err = pg.Value[int64](ctx, tx, `
		INSERT INTO grants AS g (person_id, role, scope, application_id, organization_id, created_at)
		VALUES (@person, @role, @scope, @application, @organization, @now)
		ON CONFLICT ON CONSTRAINT grants_one_role DO UPDATE SET role = CASE
			WHEN array_position(@order::text[], excluded.role) < array_position(@order, g.role) THEN excluded.role
				ELSE g.role END
		RETURNING id`, args)
	if err != nil {
		return 0, fmt.Errorf("identity: a role in %s: %w", d, err)
	}
	return grantID, nil
}
