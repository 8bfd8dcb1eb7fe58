package portal

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	teamPath        = "/portal/team"
	invitePath      = teamPath + "/invite"
	invitationsPath = teamPath + "/invitations"
)

func (p *Portal) teamRoutes() []route {
	return []route{
		{http.MethodGet, teamPath, access(authz.TeamRead), p.showTeam},
		{http.MethodGet, invitePath, access(authz.TeamManage), p.showInvite},
		{http.MethodPost, invitePath, access(authz.TeamManage), p.fresh(p.sendInvite)},
		{http.MethodGet, invitationsPath, access(authz.TeamRead), p.showInvitations},
		{http.MethodPost, invitationsPath + "/:id/withdraw", access(authz.TeamManage), p.withdrawInvitation},
		{http.MethodGet, teamPath + "/:id", access(authz.TeamManage), p.showMember},
		{http.MethodPost, teamPath + "/:id/role", access(authz.TeamManage), p.fresh(p.setRole)},
		{http.MethodPost, teamPath + "/:id/remove", access(authz.TeamManage), p.fresh(p.removeMember)},
		{http.MethodGet, "/portal/invite/:token", public, p.showOffer},
		{http.MethodPost, "/portal/invite/:token", public, p.acceptOffer},
	}
}

// number reads an id of the address; what is none names nothing.
func number(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != text {
		return 0, fault.Missing()
	}
	return n, nil
}

func (p *Portal) showTeam(c echo.Context) error {
	query := c.QueryParams()
	if to, untidy := ui.Tidy(teamPath, query); untidy {
		return seeOther(c, to)
	}
	in := identity.TeamInput{Page: cursors(query, number), Roles: query["role"]}
	in.Page.Ascending = true
	in.Organization, _ = strconv.ParseInt(query.Get("organization"), 10, 64)
	ctx, a := c.Request().Context(), actor(c)
	members, err := p.Identity.Team(ctx, a, in)
	if err != nil {
		return err
	}
	offers, err := p.Identity.Invitations(ctx, a, page.Input[int64]{Limit: rowsPerPage})
	if err != nil {
		return err
	}
	view := views.Team{}
	if view.Bar, err = p.teamBar(c, query); err != nil {
		return err
	}
	t, manages := say(c), p.may(c, authz.TeamManage)
	if manages {
		view.Invite = invitePath
	}
	for _, m := range members.Items {
		view.Members = append(view.Members, memberOf(t, m, a.PersonID, manages))
	}
	view.Offers = offersOf(t, offers.Items, manages)
	if offers.HasMore {
		view.AllOffers = invitationsPath
	}
	view.Pager = pagerOf(teamPath, query, members, func(m identity.Member) string { return strconv.FormatInt(m.GrantID, 10) }, t.Team.Shown(len(members.Items)))
	return render(c, http.StatusOK, views.ListPage(p.page(c, t.Team.Title), view.List(t)))
}

// showInvitations lists the open invitations, of which the team shows the newest.
func (p *Portal) showInvitations(c echo.Context) error {
	query := c.QueryParams()
	if to, untidy := ui.Tidy(invitationsPath, query); untidy {
		return seeOther(c, to)
	}
	offers, err := p.Identity.Invitations(c.Request().Context(), actor(c), cursors(query, number))
	if err != nil {
		return err
	}
	t := say(c)
	view := views.Team{Offers: offersOf(t, offers.Items, p.may(c, authz.TeamManage))}
	pager := pagerOf(invitationsPath, query, offers, func(i identity.Invitation) string { return strconv.FormatInt(i.ID, 10) }, t.Team.ShownOffers(len(offers.Items)))
	return render(c, http.StatusOK, views.ListPage(p.page(c, t.Team.Open), view.OfferList(t, pager, teamPath)))
}

// teamBar filters the team by role and, where there are several, by organization.
func (p *Portal) teamBar(c echo.Context, query url.Values) (ui.FilterBar, error) {
	t, a := say(c), actor(c)
	bar := ui.FilterBar{Path: teamPath, Query: query, Target: ui.ResultsID}
	roles := ui.Filter{Name: "role", Label: t.Team.Role, Kind: ui.FilterMany}
	for _, r := range identity.Grantable(a) {
		roles.Options = append(roles.Options, ui.Option{Value: string(r), Label: t.Roles[string(r)]})
	}
	bar.Filters = append(bar.Filters, roles)
	chosen, _ := strconv.ParseInt(query.Get("organization"), 10, 64)
	organizations, err := p.Identity.Organizations(c.Request().Context(), a, chosen)
	if err != nil || len(organizations) < 2 {
		return bar, err
	}
	of := ui.Filter{Name: "organization", Label: t.Team.Organization, Kind: ui.FilterOne}
	for _, o := range organizations {
		of.Options = append(of.Options, ui.Option{Value: strconv.FormatInt(o.ID, 10), Label: o.Name})
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

func memberOf(t *text.Catalogue, m identity.Member, visitor int64, manages bool) views.TeamMember {
	out := views.TeamMember{Name: m.Name, Email: mailbox.Shown(m.Email), You: m.PersonID == visitor, Role: t.Roles[string(m.Role)],
		Place: placeName(t, m.Scope, m.ScopeName), Since: m.CreatedAt.Time}
	if manages {
		out.Change = teamPath + "/" + strconv.FormatInt(m.GrantID, 10)
	}
	return out
}

func offersOf(t *text.Catalogue, open []identity.Invitation, manages bool) (out []views.TeamOffer) {
	for _, i := range open {
		out = append(out, offerOf(t, i, manages))
	}
	return out
}

func offerOf(t *text.Catalogue, i identity.Invitation, manages bool) views.TeamOffer {
	out := views.TeamOffer{Email: mailbox.Shown(i.Email), Role: t.Roles[string(i.Role)], Place: placeName(t, i.Scope, i.ScopeName), By: i.InvitedBy, Until: i.ExpiresAt.Time}
	if manages {
		out.Withdraw = invitationsPath + "/" + strconv.FormatInt(i.ID, 10) + "/withdraw"
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

// organizationAsked is the organization that a form's address asks for, as a role in it; "" of an address that names none.
func organizationAsked(c echo.Context, r authz.Role) string {
	id, err := number(c.QueryParam("organization"))
	if err != nil {
		return ""
	}
	return roleAt(r, authz.Domain{Scope: authz.ScopeOrganization, ID: id})
}

// invitePlaces are the roles that the visitor may give, each with where; the one that is chosen is among them.
func (p *Portal) invitePlaces(c echo.Context, chosen string) (out []ui.Option, err error) {
	t, a := say(c), actor(c)
	place, err := p.acting(c)
	if err != nil {
		return nil, err
	}
	organizations, err := p.Identity.Organizations(c.Request().Context(), a, organizationAt(chosen))
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

func (p *Portal) showInvite(c echo.Context) error {
	return p.inviteForm(c, http.StatusOK, views.InviteForm{Place: organizationAsked(c, authz.RoleOrganizationStaff)})
}

func (p *Portal) inviteForm(c echo.Context, status int, f views.InviteForm) (err error) {
	f.Action, f.Back = invitePath, teamPath
	if f.Places, err = p.invitePlaces(c, f.Place); err != nil {
		return err
	}
	return render(c, status, views.InvitePage(p.page(c, say(c).Team.Invite), f))
}
