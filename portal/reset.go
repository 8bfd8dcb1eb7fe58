package portal

import (
	"net/http"
	"net/url"
	"strings"

	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/platform/mailbox"
	"svcpay/portal/web"
	"svcpay/views"
)

// forgotForm sends a link by which a password is reset. It answers the same for every address, known or not.
func (p *Portal) forgotForm() web.Form[struct{}] {
	return web.Form[struct{}]{Draw: p.drawForgot, Title: otherTitle, Shows: web.IsLimited,
		Do: func(c *web.Request, _ struct{}, in web.Input) (done web.Done, err error) {
			view := views.Forgot{Email: strings.TrimSpace(in.Get("email")), Off: !p.Identity.SendsLetters()}
			if !isAddress(view.Email) {
				return done, fault.Invalid(web.CodeForm, c.Text().Login.MissingEmail).On("email")
			}
			view.Sent = !view.Off
			done.Page = func(*web.Request) error {
				return web.Render(c, http.StatusOK, views.ForgotPage(c.Page(c.Text().Reset.SentTitle), view))
			}
			return done, p.Identity.AskReset(c.Ctx(), view.Email, from(c))
		}}
}

func (p *Portal) drawForgot(c *web.Request, _ struct{}, in web.Input) error {
	view := views.Forgot{Email: strings.TrimSpace(in.Get("email")), Off: !p.Identity.SendsLetters(), Problems: in.Problems, EmailError: in.Errors["email"]}
	return web.Render(c, in.Status, views.ForgotPage(c.Page(c.Text().Reset.Title), view))
}

// resetForm takes another password from somebody who has such a link.
func (p *Portal) resetForm() web.Form[identity.Person] {
	return web.Form[identity.Person]{Title: otherTitle,
		Load: func(c *web.Request) (identity.Person, error) { return p.Identity.FindReset(c.Ctx(), c.Param("token")) },
		Draw: func(c *web.Request, person identity.Person, in web.Input) error {
			view := views.Reset{Action: c.Request().URL.Path, Email: mailbox.Shown(person.Email), Problems: in.Problems, PasswordError: in.Errors["password"]}
			return web.Render(c, in.Status, views.ResetPage(c.Page(c.Text().Reset.NewTitle), view))
		},
		Do: func(c *web.Request, _ identity.Person, in web.Input) (web.Done, error) {
			err := p.Identity.Reset(c.Ctx(), c.Param("token"), in.Get("password"))
			if err == nil {
				err = p.endVisit(c) // whoever it was signs in again
			}
			return web.Done{To: web.WithQuery(loginPath, url.Values{"notice": {"reset"}})}, err
		}}
}
