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
	"svcpay/views/text"
	"svcpay/views/ui"
)

func (p *Pages) passwordForm() web.Form[identity.Session] {
	return web.Form[identity.Session]{Title: web.OtherTitle,
		Load: p.Me,
		Draw: func(c *web.Request, visit identity.Session, in web.Input) error {
			view := views.NewPassword{Email: mailbox.Shown(visit.Email), Problems: in.Problems,
				Mistake: in.Errors["password"]}
			return web.Render(c, in.Status, views.NewPasswordPage(c.Page(c.Text().Settings.ChangePassword), view))
		},
		Do: func(c *web.Request, visit identity.Session, in web.Input) (web.Done, error) {
			id, _, err := p.Session(c)
			if err == nil {
				err = p.Identity.ChangePassword(c.Ctx(), visit.Person, id, in.Get("password"))
			}
			if err == nil {
				err = p.Renew(c, true)
			}
			return web.Saved(web.SettingsPath, c.Text().Settings.PasswordChanged, err)
		}}
}

// authenticatorForm sets up an app that makes codes: it shows the app's secret, and takes its first code.
func (p *Pages) authenticatorForm() web.Form[identity.Session] {
	return web.Form[identity.Session]{Load: p.Me, Draw: p.drawAuthenticator,
		Title: func(t *text.Catalogue) string { return t.Proof.Wrong },
		Shows: func(f *fault.Error) bool { return web.IsLimited(f) || f.Code == "code_wrong" },
		Do: func(c *web.Request, visit identity.Session, in web.Input) (web.Done, error) {
			codes, err := p.Identity.ConfirmAuthenticator(c.Ctx(), visit.Person, in.Get("code"))
			return p.factorsChanged(c, codes, c.Text().Settings.AppAdded, err)
		}}
}

func (p *Pages) drawAuthenticator(c *web.Request, visit identity.Session, in web.Input) error {
	a, err := p.Identity.SetUpAuthenticator(c.Ctx(), visit.Person)
	if err != nil {
		return err
	}
	view, status := views.AppSetup{Image: a.Image, Secret: a.Secret, Problems: in.Problems}, in.Status
	if refused, ok := fault.As(in.Refused); ok {
		view.Mistake, view.Problems.List = refused.Message, []ui.Problem{{Field: "code", Text: refused.Message}}
		if !web.IsLimited(refused) {
			status = http.StatusUnprocessableEntity
		}
	}
	return web.Render(c, status, views.AppSetupPage(c.Page(c.Text().Settings.SetUp), view))
}

// factorsChanged ends the visitor's other sessions and gives this one another id, as another way in is a change of
// rights, and shows the recovery codes that came with it, if any.
func (p *Pages) factorsChanged(c *web.Request, codes []string, words string, err error) (done web.Done, _ error) {
	if err != nil {
		return done, err
	}
	id, visit, err := p.Session(c)
	if err == nil {
		err = p.Identity.RevokeOthers(c.Ctx(), visit.ID, id)
	}
	if err == nil {
		err = p.Renew(c, true)
	}
	if len(codes) == 0 {
		return web.Saved(web.SettingsPath, words, err)
	}
	done.Page = func(*web.Request) error {
		return web.Render(c, http.StatusOK,
			views.CodesPage(c.Page(c.Text().Settings.CodesTitle), strings.Join(codes, "\n")))
	}
	return done, err
}

func (p *Pages) removeAuthenticator(c *web.Request, visit identity.Session, _ url.Values) (web.Done, error) {
	err := p.Identity.RemoveAuthenticator(c.Ctx(), visit.Person)
	return p.factorsChanged(c, nil, c.Text().Settings.AppRemoved, err)
}

func (p *Pages) makeCodes(c *web.Request, visit identity.Session, _ url.Values) (web.Done, error) {
	if !visit.SecondFactor {
		return web.Done{To: web.SettingsPath}, nil
	}
	codes, err := p.Identity.NewRecoveryCodes(c.Ctx(), visit.Person)
	return p.factorsChanged(c, codes, "", err)
}

func (p *Pages) askNewPasskey(c *web.Request) error {
	visit, err := p.Me(c)
	if err != nil {
		return err
	}
	asked, err := p.Identity.AskNewPasskey(c.Ctx(), visit.Person)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, asked)
}

// passkeyForm adds a passkey that the visitor's device has made.
func (p *Pages) passkeyForm() web.Form[identity.Session] {
	return web.Form[identity.Session]{Load: p.Me, Status: http.StatusUnprocessableEntity, Title: web.OtherTitle,
		Shows: func(f *fault.Error) bool { return f.Kind == fault.KindUnauthenticated },
		Fill: func(c *web.Request, _ identity.Session) (url.Values, error) {
			return url.Values{"name": {c.Text().Settings.NewKeyName}}, nil
		},
		Draw: func(c *web.Request, _ identity.Session, in web.Input) error {
			view := views.PasskeyForm{Name: in.Get("name"), Problems: in.Problems, Mistake: in.Errors["name"]}
			return web.Render(c, in.Status, views.PasskeyPage(c.Page(c.Text().Settings.AddPasskey), view))
		},
		Do: func(c *web.Request, visit identity.Session, in web.Input) (web.Done, error) {
			codes, err := p.Identity.AddPasskey(c.Ctx(), visit.Person, in.Get("challenge"), in.Get("passkey"),
				in.Get("name"))
			return p.factorsChanged(c, codes, c.Text().Settings.PasskeyAdded, err)
		}}
}

func (p *Pages) removePasskey(c *web.Request, visit identity.Session, _ url.Values) (done web.Done, err error) {
	id, err := web.Number(c.ID())
	if err != nil {
		return done, err
	}
	err = p.Identity.RemovePasskey(c.Ctx(), visit.Person, id)
	return p.factorsChanged(c, nil, c.Text().Settings.PasskeyRemoved, err)
}

func (p *Pages) askPasskey(c *web.Request) error {
	asked, err := p.Identity.AskPasskey(c.Ctx(), web.Origin(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, asked)
}

// passkeySignIn signs a person in whose device has verified their identity: that is both factors.
func (p *Pages) passkeySignIn() web.Form[struct{}] {
	return web.Form[struct{}]{Draw: p.drawLogin, Title: func(t *text.Catalogue) string { return t.Login.NotIn },
		Shows: func(f *fault.Error) bool { return f.Kind == fault.KindUnauthenticated },
		Do: func(c *web.Request, _ struct{}, in web.Input) (done web.Done, err error) {
			person, err := p.Identity.UsePasskey(c.Ctx(), in.Get("challenge"), in.Get("passkey"))
			if err != nil {
				return done, err
			}
			c.SetCookie(web.HostCookie(stepCookie, "", -1))
			return p.entered(c, person, web.LocalPath(in.Get("return")))
		}}
}
