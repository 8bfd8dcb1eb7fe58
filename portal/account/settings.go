package account

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svcpay/internal/identity"
	"svcpay/internal/notify"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// settingsRoutes are the person's own: anyone who is signed in may use them.
func (p *Pages) settingsRoutes() []web.Route {
	at := func(path string) string { return web.SettingsPath + path }
	return []web.Route{
		web.Get(web.SettingsPath, web.SignedIn, p.showSettings),
		web.Post(at("/looks"), web.SignedIn, web.Act(p.setLooks)),
		web.Post(at("/mails"), web.SignedIn, web.Act(p.setMails)),
		web.Post(at("/sessions/others"), web.SignedIn, web.Act(p.endOthers)),
		web.Post(at("/sessions/:id/end"), web.SignedIn, web.Act(p.endSession)),
		web.Get(at("/password"), web.SignedIn, p.Fresh(p.passwordForm().Show)),
		web.Post(at("/password"), web.SignedIn, p.FreshSecret(p.passwordForm().Submit)).Hashes(),
		web.Get(at("/authenticator"), web.SignedIn, p.Fresh(p.authenticatorForm().Show)),
		web.Post(at("/authenticator"), web.SignedIn, p.FreshSecret(p.authenticatorForm().Submit)),
		web.Get(at("/authenticator/remove"), web.SignedIn, p.askRemoveAuthenticator),
		web.Post(at("/authenticator/remove"), web.SignedIn, p.Fresh(web.ActOn(p.Me, p.removeAuthenticator))),
		web.Get(at("/codes"), web.SignedIn, p.askCodes),
		web.Post(at("/codes"), web.SignedIn, p.Fresh(web.ActOn(p.Me, p.makeCodes))),
		web.Get(at("/passkeys/new"), web.SignedIn, p.Fresh(p.passkeyForm().Show)),
		web.Post(at("/passkeys/ask"), web.SignedIn, p.Fresh(p.askNewPasskey)),
		web.Post(at("/passkeys"), web.SignedIn, p.Fresh(p.passkeyForm().Submit)),
		web.Get(at("/passkeys/:id/remove"), web.SignedIn, p.askRemovePasskey),
		web.Post(at("/passkeys/:id/remove"), web.SignedIn, p.Fresh(web.ActOn(p.Me, p.removePasskey))),
		web.Post("/portal/passkey/ask", web.Public, p.askPasskey),
		web.Post(web.LoginPath+"/passkey", web.Public, p.passkeySignIn().Submit),
	}
}

func (p *Pages) showSettings(c *web.Request) error {
	visit, _, err := p.Visitor(c)
	if err != nil {
		return err
	}
	view, err := p.settingsOf(c, visit)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.SettingsPage(c.Page(c.Text().Settings.Title), view))
}

func (p *Pages) settingsOf(c *web.Request, visit identity.Session) (views.Settings, error) {
	ctx, t := c.Ctx(), c.Text().Settings
	view := views.Settings{Theme: web.ThemeOf(c.Request()), Zone: visit.Zone, Zones: zoneOptions(t, visit.Zone),
		Mailing: p.Mail.On(), Protected: visit.SecondFactor, Required: !p.Sandbox && !visit.SecondFactor}
	factors, err := p.Identity.Factors(ctx, visit.ID)
	if err != nil {
		return view, err
	}
	view.App, view.Codes = factors.Authenticator, factors.Codes
	keys, err := p.Identity.Passkeys(ctx, visit.ID)
	if err != nil {
		return view, err
	}
	for _, k := range keys {
		view.Passkeys = append(view.Passkeys, views.SettingsPasskey{Name: k.Name, Made: k.CreatedAt.Time,
			Used: web.Deref(k.LastUsedAt).Time, Remove: web.SettingsPath + "/passkeys/" + web.Whole(k.ID) + "/remove"})
	}
	sessions, err := p.Identity.Sessions(ctx, visit.ID)
	if err != nil {
		return view, err
	}
	for _, s := range sessions {
		view.Sessions = append(view.Sessions, sessionOf(t, s, visit.Number))
	}
	muted, err := p.Identity.Muted(ctx, visit.ID)
	for _, kind := range notify.Choosable() {
		view.Mails = append(view.Mails, ui.Option{Value: kind, Label: t.MailKinds[kind], Detail: t.MailKindTexts[kind]})
		if !slices.Contains(muted, kind) {
			view.Wanted = append(view.Wanted, kind)
		}
	}
	return view, err
}

// sessionOf is a session as its person knows it; here is the number of the one that they look with.
func sessionOf(t text.Settings, s identity.OpenSession, here int64) views.SettingsSession {
	out := views.SettingsSession{Browser: t.BrowserOn(text.Browser(s.UserAgent)), Since: s.CreatedAt,
		Seen: s.LastSeenAt, Here: s.Number == here,
		Address: t.Unknown, End: web.SettingsPath + "/sessions/" + strconv.FormatInt(s.Number, 10) + "/end"}
	if out.Browser == "" {
		out.Browser = t.Unknown
	}
	if s.Address != nil {
		out.Address = s.Address.String()
	}
	return out
}

func (p *Pages) setLooks(c *web.Request, form url.Values) (done web.Done, err error) {
	_, visit, err := p.Session(c)
	if err != nil {
		return done, err
	}
	theme := form.Get("theme")
	if !web.KnownTheme(theme) {
		return done, errTheme
	}
	if err = p.Identity.SetZone(c.Ctx(), visit.ID, form.Get("zone")); err == nil {
		err = p.Identity.SetTheme(c.Ctx(), visit.ID, theme)
	}
	if err == nil {
		c.SetCookie(web.HostCookie(web.ThemeCookie, theme, web.ThemeAge))
	}
	return web.Saved(web.SettingsPath, c.Text().Settings.Saved, err)
}

func (p *Pages) setMails(c *web.Request, form url.Values) (web.Done, error) {
	_, visit, err := p.Session(c)
	if err == nil {
		err = p.Identity.Mute(c.Ctx(), visit.ID, notify.Choosable(), form["mail"])
	}
	return web.Saved(web.SettingsPath, c.Text().Settings.Saved, err)
}

func (p *Pages) endSession(c *web.Request, _ url.Values) (done web.Done, err error) {
	number, err := web.Number(c.ID())
	if err != nil {
		return done, err
	}
	_, visit, err := p.Session(c)
	if err == nil {
		err = p.Identity.RevokeSession(c.Ctx(), visit.ID, number)
	}
	return web.Saved(web.SettingsPath, c.Text().Settings.Ended, err)
}

func (p *Pages) endOthers(c *web.Request, _ url.Values) (web.Done, error) {
	id, visit, err := p.Session(c)
	if err == nil {
		err = p.Identity.RevokeOthers(c.Ctx(), visit.ID, id)
	}
	return web.Saved(web.SettingsPath, c.Text().Settings.EndedAll, err)
}

// zones are the time zones to choose from, by their names in the list of time zones: those of the countries where
// merchants are, and the larger ones elsewhere.
var zones = strings.Fields(`
	America/Anchorage America/Boise America/Chicago America/Denver America/Detroit America/Edmonton America/Halifax
	America/Indiana/Indianapolis America/Los_Angeles America/Mexico_City America/Moncton America/New_York
	America/Phoenix America/Puerto_Rico America/Regina America/Sao_Paulo America/St_Johns America/Toronto
	America/Vancouver America/Whitehorse America/Winnipeg Asia/Dubai Asia/Hong_Kong Asia/Kolkata Asia/Manila
	Asia/Singapore Asia/Tokyo Australia/Sydney Europe/Berlin Europe/London Europe/Madrid Europe/Paris Europe/Rome
	Pacific/Auckland Pacific/Honolulu`)

// zoneOptions are the zones as a list to choose from; the one that is chosen is always in it.
func zoneOptions(t text.Settings, chosen string) []ui.Option {
	out := []ui.Option{{Value: "", Label: t.UTC}}
	all := zones
	if chosen != "" && !slices.Contains(all, chosen) {
		all = append(slices.Clone(all), chosen)
	}
	for _, zone := range all {
		parts := strings.Split(strings.ReplaceAll(zone, "_", " "), "/")
		label := parts[len(parts)-1]
		if len(parts) > 1 {
			label += " (" + parts[0] + ")"
		}
		out = append(out, ui.Option{Value: zone, Label: label})
	}
	return out
}
