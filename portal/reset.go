package portal

import (
	"net/http"
	"net/url"
	"strings"

	"svcpay/internal/fault"
	"svcpay/internal/platform/mailbox"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

func (p *Portal) showForgot(c *web.Request) error {
	view := views.Forgot{Off: !p.Identity.SendsLetters()}
	return web.Render(c, http.StatusOK, views.ForgotPage(c.Page(c.Text().Reset.Title), view))
}

// askReset answers the same for every address, whether somebody signs in with it or not.
func (p *Portal) askReset(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	t := c.Text()
	view := views.Forgot{Email: strings.TrimSpace(form.Get("email")), Off: !p.Identity.SendsLetters()}
	again := func(status int, field, words string) error {
		view.Problems = ui.Problems{Title: t.Failures.Other, List: []ui.Problem{{Field: field, Text: words}}}
		return web.Render(c, status, views.ForgotPage(c.Page(t.Reset.Title), view))
	}
	if !isAddress(view.Email) {
		view.EmailError = t.Login.MissingEmail
		return again(http.StatusUnprocessableEntity, "email", view.EmailError)
	}
	err = p.Identity.AskReset(c.Ctx(), view.Email, from(c))
	if f, ok := fault.As(err); ok && f.Kind == fault.KindLimited {
		web.RetryAfter(c, f)
		return again(web.StatusOf(f.Kind), "", f.Message)
	}
	if err != nil {
		return err
	}
	view.Sent = !view.Off
	return web.Render(c, http.StatusOK, views.ForgotPage(c.Page(t.Reset.SentTitle), view))
}

func (p *Portal) showReset(c *web.Request) error {
	person, err := p.Identity.FindReset(c.Ctx(), c.Param("token"))
	if err != nil {
		return err
	}
	view := views.Reset{Action: c.Request().URL.Path, Email: mailbox.Shown(person.Email)}
	return web.Render(c, http.StatusOK, views.ResetPage(c.Page(c.Text().Reset.NewTitle), view))
}

func (p *Portal) reset(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	ctx, t, token := c.Ctx(), c.Text(), c.Param("token")
	person, err := p.Identity.FindReset(ctx, token)
	if err == nil {
		err = p.Identity.Reset(ctx, token, form.Get("password"))
	}
	if above, beside, ok := web.Problems(c.Text(), err, t.Failures.Other, nil); ok {
		view := views.Reset{Action: c.Request().URL.Path, Email: mailbox.Shown(person.Email), Problems: above, PasswordError: beside["password"]}
		return web.Render(c, http.StatusUnprocessableEntity, views.ResetPage(c.Page(t.Reset.NewTitle), view))
	}
	if err != nil {
		return err
	}
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return err
	}
	session.Options.MaxAge = -1 // whoever it was: they sign in anew
	if err := session.Save(c.Request(), c.Response()); err != nil {
		return err
	}
	return web.SeeOther(c, web.WithQuery(loginPath, url.Values{"notice": {"reset"}}))
}
