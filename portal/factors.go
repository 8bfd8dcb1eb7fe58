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
	"svcpay/views/ui"
)

func (p *Portal) passwordForm() web.Form[identity.Session] {
	return web.Form[identity.Session]{Title: otherTitle,
		Load: func(c *web.Request) (identity.Session, error) { _, visit, err := p.session(c); return visit, err },
		Draw: func(c *web.Request, visit identity.Session, in web.Input) error {
			view := views.NewPassword{Email: mailbox.Shown(visit.Email), Problems: in.Problems, Mistake: in.Errors["password"]}
			return web.Render(c, in.Status, views.NewPasswordPage(c.Page(c.Text().Settings.ChangePassword), view))
		},
		Do: func(c *web.Request, visit identity.Session, in web.Input) (web.Done, error) {
			id, _, err := p.session(c)
			if err == nil {
				err = p.Identity.ChangePassword(c.Ctx(), visit.Person, id, in.Get("password"))
			}
			if err == nil {
				err = p.renew(c, true)
			}
			return web.Saved(settingsPath, c.Text().Settings.PasswordChanged, err)
		}}
}

func (p *Portal) showAuthenticator(c *web.Request) error {
	return p.authenticatorForm(c, http.StatusOK, nil)
}

// authenticatorForm shows the secret of the app that is being set up, and what was wrong with its code.
func (p *Portal) authenticatorForm(c *web.Request, status int, refused *fault.Error) error {
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	a, err := p.Identity.SetUpAuthenticator(c.Ctx(), person)
	if err != nil {
		return err
	}
	t := c.Text()
	view := views.AppSetup{Image: a.Image, Secret: a.Secret}
	if refused != nil {
		web.RetryAfter(c, refused)
		view.Mistake = refused.Message
		view.Problems = ui.Problems{Title: t.Proof.Wrong, List: []ui.Problem{{Field: "code", Text: refused.Message}}}
	}
	return web.Render(c, status, views.AppSetupPage(c.Page(t.Settings.SetUp), view))
}

func (p *Portal) confirmAuthenticator(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	codes, err := p.Identity.ConfirmAuthenticator(c.Ctx(), person, form.Get("code"))
	switch f, ok := fault.As(err); {
	case ok && f.Kind == fault.KindLimited:
		return p.authenticatorForm(c, http.StatusTooManyRequests, f)
	case ok && f.Code == "code_wrong":
		return p.authenticatorForm(c, http.StatusUnprocessableEntity, f)
	case err != nil:
		return err
	}
	return p.factorsChanged(c, codes, c.Text().Settings.AppAdded)
}

// factorsChanged ends the visitor's other sessions and gives this one another id, as another way in is a change of
// rights, and shows the recovery codes that came with it, if any.
func (p *Portal) factorsChanged(c *web.Request, codes []string, words string) error {
	id, visit, err := p.session(c)
	if err != nil {
		return err
	}
	if err := p.Identity.RevokeOthers(c.Ctx(), visit.ID, id); err != nil {
		return err
	}
	if err := p.renew(c, true); err != nil {
		return err
	}
	if len(codes) == 0 {
		return saved(c, words)
	}
	return web.Render(c, http.StatusOK, views.CodesPage(c.Page(c.Text().Settings.CodesTitle), strings.Join(codes, "\n")))
}

func (p *Portal) removeAuthenticator(c *web.Request) error {
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	if err := p.Identity.RemoveAuthenticator(c.Ctx(), person); err != nil {
		return err
	}
	return p.factorsChanged(c, nil, c.Text().Settings.AppRemoved)
}

func (p *Portal) makeCodes(c *web.Request) error {
	visit, _, err := p.visitor(c)
	if err != nil {
		return err
	}
	if !visit.SecondFactor {
		return web.SeeOther(c, settingsPath)
	}
	codes, err := p.Identity.NewRecoveryCodes(c.Ctx(), visit.Person)
	if err != nil {
		return err
	}
	return p.factorsChanged(c, codes, "")
}

func (p *Portal) showNewPasskey(c *web.Request) error {
	t := c.Text().Settings
	return web.Render(c, http.StatusOK, views.PasskeyPage(c.Page(t.AddPasskey), views.PasskeyForm{Name: t.NewKeyName}))
}

func (p *Portal) askNewPasskey(c *web.Request) error {
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	asked, err := p.Identity.AskNewPasskey(c.Ctx(), person)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, asked)
}

func (p *Portal) addPasskey(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	codes, err := p.Identity.AddPasskey(c.Ctx(), person, form.Get("challenge"), form.Get("passkey"), form.Get("name"))
	if f, ok := fault.As(err); ok && (f.Kind == fault.KindInvalid || f.Kind == fault.KindUnauthenticated) {
		t := c.Text()
		view := views.PasskeyForm{Name: form.Get("name"), Problems: ui.Problems{Title: t.Failures.Other, List: []ui.Problem{{Field: f.Param, Text: f.Message}}}}
		if f.Param == "name" {
			view.Mistake = f.Message
		}
		return web.Render(c, http.StatusUnprocessableEntity, views.PasskeyPage(c.Page(t.Settings.AddPasskey), view))
	}
	if err != nil {
		return err
	}
	return p.factorsChanged(c, codes, c.Text().Settings.PasskeyAdded)
}

func (p *Portal) removePasskey(c *web.Request) error {
	id, err := web.Number(c.Param("id"))
	if err != nil {
		return err
	}
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	if err := p.Identity.RemovePasskey(c.Ctx(), person, id); err != nil {
		return err
	}
	return p.factorsChanged(c, nil, c.Text().Settings.PasskeyRemoved)
}

func (p *Portal) askPasskey(c *web.Request) error {
	asked, err := p.Identity.AskPasskey(c.Ctx(), from(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, asked)
}

// signInByPasskey lets somebody in whose device has checked who they are: that is both factors.
func (p *Portal) signInByPasskey(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	login := views.Login{Return: web.LocalPath(form.Get("return"))}
	person, err := p.Identity.UsePasskey(c.Ctx(), form.Get("challenge"), form.Get("passkey"))
	if f, ok := fault.As(err); ok && f.Kind == fault.KindUnauthenticated {
		login.Problems = ui.Problems{Title: c.Text().Login.NotIn, List: []ui.Problem{{Text: f.Message}}}
		return p.loginPage(c, http.StatusUnauthorized, login)
	}
	if err != nil {
		return err
	}
	c.SetCookie(hostCookie(stepCookie, "", -1))
	if err := p.enter(c, person); err != nil {
		return p.beginAgain(c, err, login.Return)
	}
	return onward(c, login.Return)
}

// provenByPasskey checks the proof of a form that a passkey made.
func (p *Portal) provenByPasskey(c *web.Request, visit identity.Session, form url.Values) error {
	return p.Identity.ProveByPasskey(c.Ctx(), visit.Person, form.Get(proofFields+"challenge"), form.Get(proofFields+"passkey"))
}
