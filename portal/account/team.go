package account

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

func (p *Pages) teamRoutes() []web.Route {
	return append([]web.Route{
		web.Get(web.TeamPath, authz.TeamRead, p.teamList().Show).Grows(),
		web.Get(web.InvitationsPath, authz.TeamRead, p.invitationList().Show).Grows(),
		web.Post(web.InvitationsPath+"/:id/withdraw", authz.TeamManage, web.Act(p.withdrawInvitation)),
		web.Get(web.TeamPath+"/:id", authz.TeamManage, p.memberForm(nil).Show),
		web.Post(web.TeamPath+"/:id/role", authz.TeamManage, p.Fresh(p.memberForm(p.setRole).Submit)),
		web.Post(web.TeamPath+"/:id/remove", authz.TeamManage, p.Fresh(p.memberForm(p.removeMember).Submit)),
		web.Get("/portal/invite/:token", web.Public, p.showOffer),
		web.Post("/portal/invite/:token", web.Public, p.acceptOffer).Hashes(),
	}, p.FreshForm(p.inviteForm().Routes(web.InvitePath, authz.TeamManage))...)
}

func (p *Pages) teamList() web.List[identity.Member, int64] {
	return web.List[identity.Member, int64]{Path: web.TeamPath, Read: web.Number,
		Key: func(m identity.Member) int64 { return m.GrantID },
		Find: func(c *web.Request, at page.Input[int64]) (page.Of[identity.Member], error) {
			at.Ascending = true
			in := identity.TeamInput{Page: at, Roles: c.QueryParams()["role"]}
			in.Organization, _ = strconv.ParseInt(c.QueryParam("organization"), 10, 64)
			return p.Identity.Team(c.Ctx(), c.Actor(), in)
		},
		Draw:  p.drawTeam,
		Shown: func(t *text.Catalogue, n int) string { return t.Team.Shown(n) }}
}

func (p *Pages) drawTeam(c *web.Request, members page.Of[identity.Member]) (views.List, error) {
	offers, err := p.Identity.Invitations(c.Ctx(), c.Actor(), page.Input[int64]{Limit: web.RowsPerPage})
	if err != nil {
		return views.List{}, err
	}
	t, manages := c.Text(), c.May(authz.TeamManage)
	view := views.Team{Members: MembersOf(c, members.Items, manages), Offers: offersOf(t, offers.Items, manages)}
	if manages {
		view.Invite = web.InvitePath
	}
	if offers.HasMore {
		view.AllOffers = web.InvitationsPath
	}
	view.Bar, err = p.teamBar(c)
	return view.List(t), err
}

// invitationList is the list of open invitations, of which the team shows the newest.
func (p *Pages) invitationList() web.List[identity.Invitation, int64] {
	return web.List[identity.Invitation, int64]{Path: web.InvitationsPath, Read: web.Number,
		Key: func(i identity.Invitation) int64 { return i.ID },
		Find: func(c *web.Request, at page.Input[int64]) (page.Of[identity.Invitation], error) {
			return p.Identity.Invitations(c.Ctx(), c.Actor(), at)
		},
		Draw: func(c *web.Request, offers page.Of[identity.Invitation]) (views.List, error) {
			view := views.Team{Offers: offersOf(c.Text(), offers.Items, c.May(authz.TeamManage))}
			return view.OfferList(c.Text(), web.TeamPath), nil
		},
		Shown: func(t *text.Catalogue, n int) string { return t.Team.ShownOffers(n) }}
}

// teamBar filters the team by role and, where there are several, by organization.
func (p *Pages) teamBar(c *web.Request) (ui.FilterBar, error) {
	t := c.Text()
	bar := ui.FilterBar{Filters: []ui.Filter{
		{Name: "role", Label: t.Team.Role, Kind: ui.FilterMany,
			Options: web.Options(identity.Grantable(c.Actor()), t.Roles)}}}
	chosen, _ := strconv.ParseInt(c.QueryParam("organization"), 10, 64)
	organizations, err := p.Identity.Organizations(c.Ctx(), c.Actor(), chosen)
	if err != nil || len(organizations) < 2 {
		return bar, err
	}
	of := ui.Filter{Name: "organization", Label: t.Team.Organization, Kind: ui.FilterOne}
	for _, o := range organizations {
		of.Options = append(of.Options, ui.Option{Value: web.Whole(o.ID), Label: o.Name})
	}
	bar.Filters = append(bar.Filters, of)
	return bar, nil
}

// placeName is a domain's name for people.
func placeName(t *text.Catalogue, scope authz.Scope, name string) string {
	if scope == authz.ScopeSystem {
		return t.Places.Deployment
	}
	return name
}

func MembersOf(c *web.Request, members []identity.Member, manages bool) (out []views.TeamMember) {
	t := c.Text()
	for _, m := range members {
		one := views.TeamMember{Name: m.Name, Email: mailbox.Shown(m.Email), You: m.PersonID == c.Actor().PersonID,
			Role:  t.Roles[string(m.Role)],
			Place: placeName(t, m.Scope, m.ScopeName), Since: m.CreatedAt.Time}
		if manages {
			one.Change = web.TeamPath + "/" + web.Whole(m.GrantID)
		}
		out = append(out, one)
	}
	return out
}

func offersOf(t *text.Catalogue, open []identity.Invitation, manages bool) (out []views.TeamOffer) {
	for _, i := range open {
		one := views.TeamOffer{Email: mailbox.Shown(i.Email), Role: t.Roles[string(i.Role)],
			Place: placeName(t, i.Scope, i.ScopeName),
			By:    i.InvitedBy, Until: i.ExpiresAt.Time}
		if manages {
			one.Withdraw = web.InvitationsPath + "/" + web.Whole(i.ID) + "/withdraw"
		}
		out = append(out, one)
	}
	return out
}

// roleAt is a role in a domain as a form has it.
func roleAt(r authz.Role, d authz.Domain) string { return string(r) + "@" + d.String() }

// organizationAt is the organization that a form's role is of; 0 of none.
func organizationAt(place string) int64 {
	_, domain, _ := strings.Cut(place, "@")
	if d, ok := authz.ParseDomain(domain); ok && d.Scope == authz.ScopeOrganization {
		return d.ID
	}
	return 0
}

// organizationAsked is the organization that a form's address asks for, as a role in it; "" of an address that names
// none.
func organizationAsked(c *web.Request, r authz.Role) string {
	id, err := web.Number(c.QueryParam("organization"))
	if err != nil {
		return ""
	}
	return roleAt(r, authz.Domain{Scope: authz.ScopeOrganization, ID: id})
}

// invitePlaces are the roles that the visitor may give, each with where; the one that is chosen is among them.
func (p *Pages) invitePlaces(c *web.Request, chosen string) (out []ui.Option, err error) {
	t, a := c.Text(), c.Actor()
	place, err := p.Acting(c)
	if err != nil {
		return nil, err
	}
	organizations, err := p.Identity.Organizations(c.Ctx(), a, organizationAt(chosen))
	if err != nil {
		return nil, err
	}
	add := func(r authz.Role, d authz.Domain, name string) {
		out = append(out, ui.Option{Value: roleAt(r, d), Label: t.Team.RoleIn(t.Roles[string(r)], name)})
	}
	for _, r := range slices.Backward(identity.Grantable(a)) { // what is given most often first
		switch r.Scope() {
		case authz.ScopeSystem:
			add(r, authz.System(), t.Team.Everywhere)
		case authz.ScopeApplication:
			if a.ApplicationID != 0 {
				add(r, authz.Domain{Scope: authz.ScopeApplication, ID: a.ApplicationID}, place.Place.Application.Name)
			}
		case authz.ScopeOrganization:
			for _, o := range organizations {
				add(r, authz.Domain{Scope: authz.ScopeOrganization, ID: o.ID}, o.Name)
			}
		}
	}
	return out, nil
}

func (p *Pages) inviteForm() web.Form[struct{}] {
	return web.Form[struct{}]{Draw: p.drawInvite, Do: p.sendInvite, Status: http.StatusUnprocessableEntity,
		Inputs: map[string]string{"role": "place"},
		Title:  func(t *text.Catalogue) string { return t.Login.Missing },
		Fill: func(c *web.Request, _ struct{}) (url.Values, error) {
			return url.Values{"place": {organizationAsked(c, authz.RoleOrganizationStaff)}}, nil
		}}
}

func (p *Pages) drawInvite(c *web.Request, _ struct{}, in web.Input) (err error) {
	f := views.InviteForm{Action: web.InvitePath, Back: web.TeamPath, Email: strings.TrimSpace(in.Get("email")),
		Place: in.Get("place"), Problems: in.Problems,
		EmailError: in.Errors["email"], PlaceError: in.Errors["place"]}
	if f.Places, err = p.invitePlaces(c, f.Place); err != nil {
		return err
	}
	return web.Render(c, in.Status, views.InvitePage(c.Page(c.Text().Team.Invite), f))
}
