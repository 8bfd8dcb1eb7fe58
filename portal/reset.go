package portal

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/platform/mailbox"
	"svcpay/views"
	"svcpay/views/ui"
)

func (p *Portal) showForgot(c echo.Context) error {
	view := views.Forgot{Off: !p.Identity.SendsLetters()}
	return render(c, http.StatusOK, views.ForgotPage(p.page(c, say(c).Reset.Title), view))
}

// askReset answers the same for every address, whether somebody signs in with it or not.
func (p *Portal) askReset(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	t := say(c)
	view := views.Forgot{Email: strings.TrimSpace(form.Get("email")), Off: !p.Identity.SendsLetters()}
	again := func(status int, field, words string) error {
		view.Problems = ui.Problems{Title: t.Failures.Other, List: []ui.Problem{{Field: field, Text: words}}}
		return render(c, status, views.ForgotPage(p.page(c, t.Reset.Title), view))
	}
	if !isAddress(view.Email) {
		view.EmailError = t.Login.MissingEmail
		return again(http.StatusUnprocessableEntity, "email", view.EmailError)
	}
	err = p.Identity.AskReset(c.Request().Context(), view.Email, from(c))
	if f, ok := fault.As(err); ok && f.Kind == fault.KindLimited {
		retryAfter(c, f)
		return again(statusOf(f.Kind), "", f.Message)
	}
	if err != nil {
		return err
	}
	view.Sent = !view.Off
	return render(c, http.StatusOK, views.ForgotPage(p.page(c, t.Reset.SentTitle), view))
}

func (p *Portal) showReset(c echo.Context) error {
	person, err := p.Identity.FindReset(c.Request().Context(), c.Param("token"))
	if err != nil {
		return err
	}
	view := views.Reset{Action: c.Request().URL.Path, Email: mailbox.Shown(person.Email)}
	return render(c, http.StatusOK, views.ResetPage(p.page(c, say(c).Reset.NewTitle), view))
}

func (p *Portal) reset(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	ctx, t, token := c.Request().Context(), say(c), c.Param("token")
	person, err := p.Identity.FindReset(ctx, token)
	if err == nil {
		err = p.Identity.Reset(ctx, token, form.Get("password"))
	}
	if above, beside, ok := problems(say(c), err, t.Failures.Other, nil); ok {
		view := views.Reset{Action: c.Request().URL.Path, Email: mailbox.Shown(person.Email), Problems: above, PasswordError: beside["password"]}
		return render(c, http.StatusUnprocessableEntity, views.ResetPage(p.page(c, t.Reset.NewTitle), view))
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
	return seeOther(c, withQuery(loginPath, url.Values{"notice": {"reset"}}))
}
