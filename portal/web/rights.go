package web

import (
	"cmp"
	"slices"
	"strings"

	"svcpay/internal/authz"
	"svcpay/views/text"
)

// Holder is an actor with a role where it belongs, for questions to the policy.
func Holder(r authz.Role) authz.Actor {
	d := authz.Domain{Scope: r.Scope(), ID: 1}
	if r.Scope() == authz.ScopeSystem {
		d.ID = 0
	}
	return authz.Actor{Role: r, PersonID: 1, ApplicationID: 1, Granted: d}
}

// Holders are the roles of people that have a permission, by the policy that is enforced.
func (d *Desk) Holders(needed authz.Permission) []authz.Role {
	return slices.DeleteFunc(authz.PeopleRoles(),
		func(r authz.Role) bool { return d.audit.Check(Holder(r), needed) != nil })
}

// HolderNames are the roles that hold a permission, in words.
func (d *Desk) HolderNames(t *text.Catalogue, needed authz.Permission) string {
	var names []string
	for _, r := range d.Holders(needed) {
		names = append(names, t.Roles[string(r)])
	}
	return strings.Join(names, ", ")
}

// lacks says which permission the visitor lacks, who has it, and who here can give it.
func (d *Desk) lacks(c *Request, needed authz.Permission) string {
	t := c.Text()
	words := []string{t.Rights.Needs(cmp.Or(t.Permissions[string(needed)], string(needed)), string(needed))}
	held := d.Holders(needed)
	if len(held) == 0 {
		return words[0]
	}
	words = append(words, t.Rights.Held(d.HolderNames(t, needed)))
	a, err := d.Acting(c)
	if err != nil {
		return strings.Join(words, " ")
	}
	return strings.Join(append(words, d.whoGives(c, a.Actor, held)), " ")
}

// whoGives names administrators of the visitor's own domain if one of the roles is given there; else the role
// of those to ask.
func (d *Desk) whoGives(c *Request, a authz.Actor, held []authz.Role) string {
	t := c.Text()
	if slices.ContainsFunc(held, func(r authz.Role) bool { return r.Scope() == a.Domain().Scope }) {
		names, place, err := d.identity.Administrators(c.Ctx(), a)
		if err == nil && len(names) > 0 {
			return t.Rights.Ask(strings.Join(names, ", "), cmp.Or(place, t.Places.Deployment))
		}
	}
	// The narrowest role that gives one of these.
	givers := map[authz.Scope]authz.Role{authz.ScopeOrganization: authz.RoleOrganizationAdmin,
		authz.ScopeApplication: authz.RoleApplicationAdmin,
		authz.ScopeSystem:      authz.RoleSystemAdmin}
	narrowest := held[len(held)-1]
	return t.Rights.AskMore(strings.ToLower(t.Roles[string(givers[narrowest.Scope()])]))
}
