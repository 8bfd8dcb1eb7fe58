package portal

import (
	"net/http"
	"net/url"
	"strings"

	"svcpay/internal/identity"
	"svcpay/internal/platform/mailbox"
	"svcpay/portal/web"
	"svcpay/views"
)

// offer describes an invitation to whoever has its link.
func (p *Portal) offer(c *web.Request) (identity.Invitation, views.Offer, error) {
	i, err := p.Identity.FindInvitation(c.Ctx(), c.Param("token"))
	if err != nil {
		return i, views.Offer{}, err
	}
	t := c.Text()
	at := "/portal/invite/" + c.Param("token")
	out := views.Offer{Text: t.Invite.Text(i.InvitedBy, t.Roles[string(i.Role)], placeName(t, i.Scope, i.ScopeName)), Action: at, Email: mailbox.Shown(i.Email)}
	person, known, err := p.person(c)
	switch {
	case err != nil:
		return i, out, err
	case known && strings.EqualFold(person.Email, i.Email):
		out.As = person.Name
	case known:
		out.Other = true
	case i.Known:
		out.SignIn = web.WithQuery(loginPath, url.Values{"return": {at}})
	}
	return i, out, nil
}

func (p *Portal) showOffer(c *web.Request) error {
	_, view, err := p.offer(c)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.OfferPage(c.Page(c.Text().Invite.Title), view))
}

func (p *Portal) acceptOffer(c *web.Request) error {
	_, view, err := p.offer(c)
	if err != nil {
		return err
	}
	ctx, t := c.Ctx(), c.Text()
	switch {
	case view.Other || view.SignIn != "":
		return web.Render(c, http.StatusConflict, views.OfferPage(c.Page(t.Invite.Title), view))
	case view.As != "":
		person, _, err := p.person(c)
		if err == nil {
			err = p.Identity.AcceptAs(ctx, c.Param("token"), person)
		}
		if err != nil {
			return err
		}
		return web.SeeOther(c, web.WithQuery(loginPath, url.Values{"notice": {"accepted"}}))
	}
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	view.Name = strings.TrimSpace(form.Get("name"))
	_, err = p.Identity.Accept(ctx, c.Param("token"), identity.Acceptance{Name: view.Name, Password: form.Get("password")})
	if above, beside, ok := web.Problems(c.Text(), err, t.Failures.Correct, nil); ok {
		view.NameError, view.PasswordError, view.Problems = beside["name"], beside["password"], above
		return web.Render(c, http.StatusUnprocessableEntity, views.OfferPage(c.Page(t.Invite.Title), view))
	}
	if err != nil {
		return err
	}
	return web.SeeOther(c, web.WithQuery(loginPath, url.Values{"notice": {"accepted"}}))
}
