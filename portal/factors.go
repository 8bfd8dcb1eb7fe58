package portal

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/platform/mailbox"
	"svcpay/views"
	"svcpay/views/ui"
)

func (p *Portal) showPassword(c echo.Context) error {
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.NewPasswordPage(p.page(c, say(c).Settings.ChangePassword), views.NewPassword{Email: mailbox.Shown(person.Email)}))
}

func (p *Portal) setPassword(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return err
	}
	visit, _ := visitOf(session)
	err = p.Identity.ChangePassword(c.Request().Context(), visit.Person, session.ID, form.Get("password"))
	t := say(c)
	if above, beside, ok := problems(say(c), err, t.Failures.Other, nil); ok {
		view := views.NewPassword{Email: mailbox.Shown(visit.Email), Problems: above, Mistake: beside["password"]}
		return render(c, http.StatusUnprocessableEntity, views.NewPasswordPage(p.page(c, t.Settings.ChangePassword), view))
	}
	if err != nil {
		return err
	}
	if err := p.renew(c, true); err != nil {
		return err
	}
	return saved(c, t.Settings.PasswordChanged)
}

func (p *Portal) showAuthenticator(c echo.Context) error {
	return p.authenticatorForm(c, http.StatusOK, nil)
}

// authenticatorForm shows the secret of the app that is being set up, and what was wrong with its code.
func (p *Portal) authenticatorForm(c echo.Context, status int, refused *fault.Error) error {
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	a, err := p.Identity.SetUpAuthenticator(c.Request().Context(), person)
	if err != nil {
		return err
	}
	t := say(c)
	view := views.AppSetup{Image: a.Image, Secret: a.Secret}
	if refused != nil {
		retryAfter(c, refused)
		view.Mistake = refused.Message
		view.Problems = ui.Problems{Title: t.Proof.Wrong, List: []ui.Problem{{Field: "code", Text: refused.Message}}}
	}
	return render(c, status, views.AppSetupPage(p.page(c, t.Settings.SetUp), view))
}

func (p *Portal) confirmAuthenticator(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	codes, err := p.Identity.ConfirmAuthenticator(c.Request().Context(), person, form.Get("code"))
	switch f, ok := fault.As(err); {
	case ok && f.Kind == fault.KindLimited:
		return p.authenticatorForm(c, http.StatusTooManyRequests, f)
	case ok && f.Code == "code_wrong":
		return p.authenticatorForm(c, http.StatusUnprocessableEntity, f)
	case err != nil:
		return err
	}
	return p.factorsChanged(c, codes, say(c).Settings.AppAdded)
}

// factorsChanged ends the visitor's other sessions and gives this one another id, as another way in is a change of
// rights, and shows the recovery codes that came with it, if any.
func (p *Portal) factorsChanged(c echo.Context, codes []string, words string) error {
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return err
	}
	visit, _ := visitOf(session)
	if err := p.Identity.RevokeOthers(c.Request().Context(), visit.Person.ID, session.ID); err != nil {
		return err
	}
	if err := p.renew(c, true); err != nil {
		return err
	}
	if len(codes) == 0 {
		return saved(c, words)
	}
	return render(c, http.StatusOK, views.CodesPage(p.page(c, say(c).Settings.CodesTitle), strings.Join(codes, "\n")))
}

func (p *Portal) removeAuthenticator(c echo.Context) error {
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	if err := p.Identity.RemoveAuthenticator(c.Request().Context(), person); err != nil {
		return err
	}
	return p.factorsChanged(c, nil, say(c).Settings.AppRemoved)
}

func (p *Portal) makeCodes(c echo.Context) error {
	visit, _, err := p.visitor(c)
	if err != nil {
		return err
	}
	if !visit.SecondFactor {
		return seeOther(c, settingsPath)
	}
	codes, err := p.Identity.NewRecoveryCodes(c.Request().Context(), visit.Person)
	if err != nil {
		return err
	}
	return p.factorsChanged(c, codes, "")
}

func (p *Portal) showNewPasskey(c echo.Context) error {
	t := say(c).Settings
	return render(c, http.StatusOK, views.PasskeyPage(p.page(c, t.AddPasskey), views.PasskeyForm{Name: t.NewKeyName}))
}

func (p *Portal) askNewPasskey(c echo.Context) error {
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	asked, err := p.Identity.AskNewPasskey(c.Request().Context(), person)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, asked)
}

func (p *Portal) addPasskey(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	codes, err := p.Identity.AddPasskey(c.Request().Context(), person, form.Get("challenge"), form.Get("passkey"), form.Get("name"))
	if f, ok := fault.As(err); ok && (f.Kind == fault.KindInvalid || f.Kind == fault.KindUnauthenticated) {
		t := say(c)
		view := views.PasskeyForm{Name: form.Get("name"), Problems: ui.Problems{Title: t.Failures.Other, List: []ui.Problem{{Field: f.Param, Text: f.Message}}}}
		if f.Param == "name" {
			view.Mistake = f.Message
		}
		return render(c, http.StatusUnprocessableEntity, views.PasskeyPage(p.page(c, t.Settings.AddPasskey), view))
	}
	if err != nil {
		return err
	}
	return p.factorsChanged(c, codes, say(c).Settings.PasskeyAdded)
}

func (p *Portal) removePasskey(c echo.Context) error {
	id, err := number(c.Param("id"))
	if err != nil {
		return err
	}
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	if err := p.Identity.RemovePasskey(c.Request().Context(), person, id); err != nil {
		return err
	}
	return p.factorsChanged(c, nil, say(c).Settings.PasskeyRemoved)
}

func (p *Portal) askPasskey(c echo.Context) error {
	asked, err := p.Identity.AskPasskey(c.Request().Context(), from(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, asked)
}

// signInByPasskey lets somebody in whose device has checked who they are: that is both factors.
func (p *Portal) signInByPasskey(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	login := views.Login{Return: localPath(form.Get("return"))}
	person, err := p.Identity.UsePasskey(c.Request().Context(), form.Get("challenge"), form.Get("passkey"))
	if f, ok := fault.As(err); ok && f.Kind == fault.KindUnauthenticated {
		login.Problems = ui.Problems{Title: say(c).Login.NotIn, List: []ui.Problem{{Text: f.Message}}}
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
func (p *Portal) provenByPasskey(c echo.Context, visit identity.Session, form url.Values) error {
	return p.Identity.ProveByPasskey(c.Request().Context(), visit.Person, form.Get(proofFields+"challenge"), form.Get(proofFields+"passkey"))
}
