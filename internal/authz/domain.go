package authz

import (
	"slices"
	"strconv"
	"strings"
)

// Scope is a kind of domain. A role is granted in one kind of domain only.
type Scope string

// The scopes.
const (
	ScopeSystem       Scope = "system"
	ScopeApplication  Scope = "app"
	ScopeOrganization Scope = "org"
)

// Domain is where a role was granted: the whole deployment, one application or one organization. The
// zero one is none.
type Domain struct {
	Scope Scope
	ID    int64 // of the application or the organization; 0 of the deployment
}

// System is the domain of the whole deployment.
func System() Domain { return Domain{Scope: ScopeSystem} }

// String prints system, app:7 or org:9; "" for none.
func (d Domain) String() string {
	if d.Scope == ScopeSystem || d.Scope == "" {
		return string(d.Scope)
	}
	return string(d.Scope) + ":" + strconv.FormatInt(d.ID, 10)
}

// ParseDomain reads what String prints, and nothing else; false for any other text.
func ParseDomain(text string) (Domain, bool) {
	scope, number, _ := strings.Cut(text, ":")
	id, err := strconv.ParseInt(number, 10, 64)
	d := Domain{Scope(scope), id}
	if err != nil {
		d.ID = 0
	}
	return d, d.Whole() && d.String() == text
}

// Whole reports whether it is a domain: the deployment without an id, or another one with its id.
func (d Domain) Whole() bool {
	switch d.Scope {
	case ScopeSystem:
		return d.ID == 0
	case ScopeApplication, ScopeOrganization:
		return d.ID > 0
	}
	return false
}

// PeopleRoles lists the roles of people, the widest first.
func PeopleRoles() []Role {
	return []Role{RoleSystemAdmin, RoleSupportStaff, RoleApplicationAdmin, RoleOrganizationAdmin, RoleOrganizationStaff}
}

var scopeOf = map[Role]Scope{RoleSystemAdmin: ScopeSystem, RoleSupportStaff: ScopeSystem,
	RoleApplicationAdmin:  ScopeApplication,
	RoleOrganizationAdmin: ScopeOrganization, RoleOrganizationStaff: ScopeOrganization}

// Scope is the kind of domain that a role of people is granted in; "" of every other role.
func (r Role) Scope() Scope { return scopeOf[r] }

// Administers reports whether it is the role whose last holder in a domain stays.
func (r Role) Administers() bool {
	return r == RoleSystemAdmin || r == RoleApplicationAdmin || r == RoleOrganizationAdmin
}

// Wider reports whether a role of people stands before another one.
func (r Role) Wider(than Role) bool {
	return slices.Index(PeopleRoles(), r) < slices.Index(PeopleRoles(), than)
}

// Domain is where the actor's role holds. Keys act in their application; a system administrator who
// is no person is the deployment's operator, with a command.
func (a Actor) Domain() Domain {
	switch {
	case a.Granted != Domain{}:
		return a.Granted
	case a.OrganizationID != 0:
		return Domain{ScopeOrganization, a.OrganizationID}
	case a.Role == RoleSystemAdmin:
		return System()
	}
	return Domain{ScopeApplication, a.ApplicationID}
}

// IsPerson reports whether someone acts in the portal.
func (a Actor) IsPerson() bool { return a.PersonID != 0 }
