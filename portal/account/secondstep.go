package account

import (
	"net/http"
	"net/url"
	"strings"

	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/platform/mailbox"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

const (
	resetPath = "/portal/reset/:token"
	// stepCookie is by what someone goes on who gave the right password.
	stepCookie = "__Host-svcpay-step"
	stepAge    = 10 * 60 // seconds
	byRecovery = "recovery"
)

// signInRoutes are the ways in and out.
func (p *Pages) signInRoutes() []web.Route {
	return []web.Route{
		web.Get(web.LoginPath, web.Public, p.showLogin),
		web.Post(web.LoginPath, web.Public, p.loginForm().Submit).Hashes(),
		web.Post("/portal/logout", web.Public, p.signOut),
		web.Get(web.SecondStepPath, web.Public, p.showSecondStep),
		web.Post(web.SecondStepPath, web.Public, p.finishSecondStep),
		web.Get(web.ForgotPath, web.Public, p.forgotForm().Show),
		web.Post(web.ForgotPath, web.Public, p.forgotForm().Submit),
		web.Get(resetPath, web.Public, p.resetForm().Show),
		web.Post(resetPath, web.Public, p.resetForm().Submit).Hashes(),
	}
}

// startSecondStep asks someone who gave the right password for the second factor.
func (p *Pages) startSecondStep(c *web.Request, person identity.Person, back string) (web.Done, error) {
	token, err := p.Identity.StartSecondStep(c.Ctx(), person)
	if err != nil {
		return web.Done{Page: func(*web.Request) error { return p.beginAgain(c, err, back) }}, nil
	}
	c.SetCookie(web.HostCookie(stepCookie, token, stepAge))
	return web.Done{To: web.WithQuery(web.SecondStepPath, url.Values{"return": {back}})}, nil
}

// stepToken is by what the visitor goes on; "" for no one.
func stepToken(c *web.Request) string {
	cookie, err := c.Cookie(stepCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// secondStep says what the visitor still owes.
func (p *Pages) secondStep(c *web.Request, back, by string) (views.SecondStep, error) {
	ctx := c.Ctx()
	person, err := p.Identity.SecondStep(ctx, stepToken(c))
	if err != nil {
		return views.SecondStep{}, err
	}
	factors, err := p.Identity.Factors(ctx, person.ID)
	if err != nil {
		return views.SecondStep{}, err
	}
	out := views.SecondStep{Return: back, App: factors.Authenticator, Passkeys: factors.Passkeys > 0,
		Recovery: by == byRecovery}
	other := url.Values{"return": {back}}
	if !out.Recovery {
		other.Set("by", byRecovery)
	}
	out.Other = web.WithQuery(web.SecondStepPath, other)
	return out, nil
}

// beginAgain asks someone to sign in whose second step took too long, or whose password changed in the meantime.
func (p *Pages) beginAgain(c *web.Request, err error, back string) error {
	if !fault.HasCode(err, "sign_in_again") {
		return err
	}
	c.SetCookie(web.HostCookie(stepCookie, "", -1))
	login := views.Login{Return: back, Notice: c.Text().SecondStep.Late}
	return web.Render(c, http.StatusUnauthorized, views.LoginPage(c.Page(c.Text().Login.Title), login))
}

func (p *Pages) showSecondStep(c *web.Request) error {
	back := web.LocalPath(c.QueryParam("return"))
	view, err := p.secondStep(c, back, c.QueryParam("by"))
	if err != nil {
		return p.beginAgain(c, err, back)
	}
	return web.Render(c, http.StatusOK, views.SecondStepPage(c.Page(c.Text().SecondStep.Title), view))
}

func (p *Pages) finishSecondStep(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	back, t := web.LocalPath(form.Get("return")), c.Text()
	view, err := p.secondStep(c, back, form.Get("by"))
	if err != nil {
		return p.beginAgain(c, err, back)
	}
	status := http.StatusUnprocessableEntity
	if view.CodeError = t.SecondStep.Missing; form.Get("code") != "" {
		person, err := p.Identity.FinishSecondStep(c.Ctx(), stepToken(c), form.Get("code"))
		if err == nil {
			c.SetCookie(web.HostCookie(stepCookie, "", -1))
			done, _ := p.entered(c, person, back)
			return done.Answer(c)
		}
		f, ok := fault.As(err)
		if !ok || f.Code != "code_wrong" && f.Kind != fault.KindLimited {
			return p.beginAgain(c, err, back)
		}
		web.RetryAfter(c, f)
		view.CodeError, status = f.Message, web.StatusOf(f.Kind)
	}
	view.Problems = ui.Problems{Title: t.Login.NotIn, List: []ui.Problem{{Field: "code", Text: view.CodeError}}}
	return web.Render(c, status, views.SecondStepPage(c.Page(t.SecondStep.Title), view))
}

// forgotForm sends a link by which a password is reset. It answers the same for every address, known or not.
func (p *Pages) forgotForm() web.Form[struct{}] {
	return web.Form[struct{}]{Draw: p.drawForgot, Title: web.OtherTitle, Shows: web.IsLimited,
		Do: func(c *web.Request, _ struct{}, in web.Input) (done web.Done, err error) {
			view := views.Forgot{Email: strings.TrimSpace(in.Get("email")), Off: !p.Identity.SendsLetters()}
			if !isAddress(view.Email) {
				return done, fault.Invalid(web.CodeForm, c.Text().Login.MissingEmail).On("email")
			}
			view.Sent = !view.Off
			done.Page = func(*web.Request) error {
				return web.Render(c, http.StatusOK, views.ForgotPage(c.Page(c.Text().Reset.SentTitle), view))
			}
			return done, p.Identity.AskReset(c.Ctx(), view.Email, web.Origin(c))
		}}
}

func (p *Pages) drawForgot(c *web.Request, _ struct{}, in web.Input) error {
	view := views.Forgot{Email: strings.TrimSpace(in.Get("email")), Off: !p.Identity.SendsLetters(),
		Problems: in.Problems, EmailError: in.Errors["email"]}
	return web.Render(c, in.Status, views.ForgotPage(c.Page(c.Text().Reset.Title), view))
}

// resetForm takes another password from a person who has such a link.
func (p *Pages) resetForm() web.Form[identity.Person] {
	return web.Form[identity.Person]{Title: web.OtherTitle,
		Load: func(c *web.Request) (identity.Person, error) { return p.Identity.FindReset(c.Ctx(), c.Param("token")) },
		Draw: func(c *web.Request, person identity.Person, in web.Input) error {
			view := views.Reset{Action: c.Request().URL.Path, Email: mailbox.Shown(person.Email),
				Problems: in.Problems, PasswordError: in.Errors["password"]}
			return web.Render(c, in.Status, views.ResetPage(c.Page(c.Text().Reset.NewTitle), view))
		},
		Do: func(c *web.Request, _ identity.Person, in web.Input) (web.Done, error) {
			err := p.Identity.Reset(c.Ctx(), c.Param("token"), in.Get("password"))
			if err == nil {
				err = p.EndSession(c) // the person signs in again
			}
			return web.Done{To: web.WithQuery(web.LoginPath, url.Values{"notice": {"reset"}})}, err
		}}
}
