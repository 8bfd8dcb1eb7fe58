package portal

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/identity"
	"svcpay/internal/platform/mailbox"
	"svcpay/views"
)

// offer describes an invitation to whoever has its link.
func (p *Portal) offer(c echo.Context) (identity.Invitation, views.Offer, error) {
	i, err := p.Identity.FindInvitation(c.Request().Context(), c.Param("token"))
	if err != nil {
		return i, views.Offer{}, err
	}
	t := say(c)
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
		out.SignIn = withQuery(loginPath, url.Values{"return": {at}})
	}
	return i, out, nil
}

func (p *Portal) showOffer(c echo.Context) error {
	_, view, err := p.offer(c)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.OfferPage(p.page(c, say(c).Invite.Title), view))
}

func (p *Portal) acceptOffer(c echo.Context) error {
	_, view, err := p.offer(c)
	if err != nil {
		return err
	}
	ctx, t := c.Request().Context(), say(c)
	switch {
	case view.Other || view.SignIn != "":
		return render(c, http.StatusConflict, views.OfferPage(p.page(c, t.Invite.Title), view))
	case view.As != "":
		person, _, err := p.person(c)
		if err == nil {
			err = p.Identity.AcceptAs(ctx, c.Param("token"), person)
		}
		if err != nil {
			return err
		}
		return seeOther(c, withQuery(loginPath, url.Values{"notice": {"accepted"}}))
	}
	form, err := readForm(c)
	if err != nil {
		return err
	}
	view.Name = strings.TrimSpace(form.Get("name"))
	_, err = p.Identity.Accept(ctx, c.Param("token"), identity.Acceptance{Name: view.Name, Password: form.Get("password")})
	if above, beside, ok := problems(say(c), err, t.Failures.Correct, nil); ok {
		view.NameError, view.PasswordError, view.Problems = beside["name"], beside["password"], above
		return render(c, http.StatusUnprocessableEntity, views.OfferPage(p.page(c, t.Invite.Title), view))
	}
	if err != nil {
		return err
	}
	return seeOther(c, withQuery(loginPath, url.Values{"notice": {"accepted"}}))
}
