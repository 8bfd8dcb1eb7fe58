package account

import (
	"net/http"
	"net/url"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/platform/mailbox"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

func (p *Pages) sendInvite(c *web.Request, _ struct{}, in web.Input) (done web.Done, err error) {
	t := c.Text()
	role, domain, _ := strings.Cut(in.Get("place"), "@")
	d, ok := authz.ParseDomain(domain)
	if !ok {
		return done, fault.Invalid(web.CodeForm, t.Team.InviteMissing).On("place")
	}
	made, err := p.Identity.Invite(c.Ctx(), c.Actor(),
		identity.NewInvitation{Email: strings.TrimSpace(in.Get("email")), Role: authz.Role(role), Domain: d})
	if err != nil || p.Identity.SendsInvitations() {
		return web.Saved(web.TeamPath, t.Team.Mailed(mailbox.Shown(made.Email)), err)
	}
	view := views.Invited{Email: mailbox.Shown(made.Email), Until: c.Viewer().Date(made.ExpiresAt.Time),
		Back: web.TeamPath,
		Link: p.BaseURL + "/portal/invite/" + made.Token}
	done.Page = func(*web.Request) error {
		return web.Render(c, http.StatusOK, views.InvitedPage(c.Page(t.Team.InvitedTitle), view))
	}
	return done, nil
}

func (p *Pages) withdrawInvitation(c *web.Request, _ url.Values) (done web.Done, err error) {
	id, err := web.Number(c.ID())
	if err != nil {
		return done, err
	}
	_, err = p.Identity.Withdraw(c.Ctx(), c.Actor(), id)
	return web.Saved(web.TeamPath, c.Text().Team.Withdrawn, err)
}

// memberForm shows what can be changed of a member, and changes it.
func (p *Pages) memberForm(do func(*web.Request, identity.Member, web.Input) (web.Done,
	error)) web.Form[identity.Member] {
	return web.Form[identity.Member]{Load: p.member, Draw: drawMember, Do: do, Title: web.OtherTitle}
}

func drawMember(c *web.Request, m identity.Member, in web.Input) error {
	t := c.Text()
	at := web.TeamPath + "/" + c.Param("id")
	f := views.MemberForm{
		Name: m.Name, Place: t.Team.RoleIn(t.Roles[string(m.Role)], placeName(t, m.Scope, m.ScopeName)),
		Save: at + "/role", Remove: at + "/remove", Back: web.TeamPath, Role: string(m.Role)}
	for _, r := range identity.Grantable(c.Actor()) {
		if r.Scope() == m.Scope {
			f.Roles = append(f.Roles, ui.Option{Value: string(r), Label: t.Roles[string(r)]})
		}
	}
	f.Problems = in.Problems
	return web.Render(c, in.Status, views.MemberPage(c.Page(m.Name), f))
}

// member reads whom the address names.
func (p *Pages) member(c *web.Request) (identity.Member, error) {
	id, err := web.Number(c.Param("id"))
	if err != nil {
		return identity.Member{}, err
	}
	return p.Identity.Member(c.Ctx(), c.Actor(), id)
}

func (p *Pages) setRole(c *web.Request, m identity.Member, in web.Input) (web.Done, error) {
	_, err := p.Identity.SetRole(c.Ctx(), c.Actor(), m.GrantID, authz.Role(in.Get("role")))
	return web.Saved(web.TeamPath, c.Text().Team.Changed, err)
}

func (p *Pages) removeMember(c *web.Request, m identity.Member, _ web.Input) (web.Done, error) {
	_, err := p.Identity.RemoveMember(c.Ctx(), c.Actor(), m.GrantID)
	return web.Saved(web.TeamPath, c.Text().Team.Removed, err)
}

// offer describes an invitation to the visitor who has its link.
func (p *Pages) offer(c *web.Request) (identity.Invitation, views.Offer, error) {
	i, err := p.Identity.FindInvitation(c.Ctx(), c.Param("token"))
	if err != nil {
		return i, views.Offer{}, err
	}
	t := c.Text()
	at := "/portal/invite/" + c.Param("token")
	out := views.Offer{Text: t.Invite.Text(i.InvitedBy, t.Roles[string(i.Role)], placeName(t, i.Scope, i.ScopeName)),
		Action: at, Email: mailbox.Shown(i.Email)}
	person, known, err := p.Person(c)
	switch {
	case err != nil:
		return i, out, err
	case known && strings.EqualFold(person.Email, i.Email):
		out.As = person.Name
	case known:
		out.Other = true
	case i.Known:
		out.SignIn = web.WithQuery(web.LoginPath, url.Values{"return": {at}})
	}
	return i, out, nil
}

func (p *Pages) showOffer(c *web.Request) error {
	_, view, err := p.offer(c)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.OfferPage(c.Page(c.Text().Invite.Title), view))
}

func (p *Pages) acceptOffer(c *web.Request) error {
	_, view, err := p.offer(c)
	switch {
	case err != nil:
		return err
	case view.Other || view.SignIn != "":
		return web.Render(c, http.StatusConflict, views.OfferPage(c.Page(c.Text().Invite.Title), view))
	case view.As != "":
		return web.Act(p.acceptAs)(c)
	}
	return p.offerForm(view).Submit(c)
}

// accepted leads to the sign-in after an invitation was accepted.
func accepted(err error) (web.Done, error) {
	return web.Done{To: web.WithQuery(web.LoginPath, url.Values{"notice": {"accepted"}})}, err
}

// acceptAs accepts an invitation for the account that the visitor has.
func (p *Pages) acceptAs(c *web.Request, _ url.Values) (web.Done, error) {
	person, _, err := p.Person(c)
	if err == nil {
		err = p.Identity.AcceptAs(c.Ctx(), c.Param("token"), person)
	}
	return accepted(err)
}

// offerForm accepts an invitation with a new account.
func (p *Pages) offerForm(view views.Offer) web.Form[struct{}] {
	return web.Form[struct{}]{Status: http.StatusUnprocessableEntity,
		Draw: func(c *web.Request, _ struct{}, in web.Input) error {
			view.Name, view.NameError, view.PasswordError, view.Problems = strings.TrimSpace(in.Get("name")),
				in.Errors["name"], in.Errors["password"], in.Problems
			return web.Render(c, in.Status, views.OfferPage(c.Page(c.Text().Invite.Title), view))
		},
		Do: func(c *web.Request, _ struct{}, in web.Input) (web.Done, error) {
			_, err := p.Identity.Accept(c.Ctx(), c.Param("token"),
				identity.Acceptance{Name: strings.TrimSpace(in.Get("name")), Password: in.Get("password")})
			return accepted(err)
		}}
}
