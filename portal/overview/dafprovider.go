package overview

import (
	"net/url"

	"github.com/a-h/templ"

	"svcpay/internal/daf/provider/connection"
	"svcpay/internal/fault"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	connectDAFPath = web.DAFProviderPath + "/connect"
	testDAFPath    = web.DAFProviderPath + "/test"
)

// dafProvider is the connection to the provider of donor-advised funds, for the page of the system.
func (p *Pages) dafProvider(c *web.Request) (v views.DAFProvider, err error) {
	if p.DAFConnection.Provider() == "" {
		return v, nil
	}
	v.Connect, v.Test, v.Hook = connectDAFPath, testDAFPath, p.BaseURL+"/hooks/daf/"+p.DAFConnection.Provider()
	is, err := p.DAFConnection.Get(c.Ctx(), c.Actor())
	if err != nil || is == nil {
		return v, err
	}
	v.Name, v.Set, v.Tested, v.Credentials = is.Provider, is.CredentialsSetAt.Time, is.TestedAt.Time, "••••"
	if is.CredentialsLast4 != nil {
		v.Credentials += *is.CredentialsLast4
	}
	for _, n := range is.Needs {
		v.Needs = append(v.Needs, n.Text)
	}
	for _, n := range is.Optional {
		v.Optional = append(v.Optional, n.Text)
	}
	return v, nil
}

func (p *Pages) connectDAFForm() web.Form[struct{}] {
	return web.Form[struct{}]{
		Draw: func(c *web.Request, _ struct{}, in web.Input) error {
			t := c.Text().DAFProvider
			f := views.ToolForm{Action: connectDAFPath, Problems: in.Problems, Submit: ui.Button{Label: t.Connect},
				Dialog: ui.Dialog{Back: web.SystemPath},
				Parts: []templ.Component{ui.Field{Name: "credentials", Label: t.Field, Hint: t.Hint, Type: "password",
					Error: in.Errors["credentials"], Required: true, Autocomplete: "off"}.View()}}
			head := ui.Head{Title: t.Connect, Text: t.FormText,
				Crumbs: []ui.Crumb{{Label: c.Text().System.Title, Href: web.SystemPath}}}
			return web.Render(c, in.Status, views.ToolFormWhole(c.Page(t.Connect), head, f))
		},
		Do: func(c *web.Request, _ struct{}, in web.Input) (web.Done, error) {
			_, err := p.DAFConnection.Connect(c.Ctx(), c.Actor(), connection.CredentialsOf(in.Get("credentials")))
			return web.Saved(web.SystemPath, c.Text().DAFProvider.Connected, err)
		},
		Shows: func(f *fault.Error) bool { return f.Code == "daf_provider_unreachable" },
		Title: func(t *text.Catalogue) string { return t.DAFProvider.Problems },
	}
}

// testDAF tests the connection, and says whether something is missing.
func (p *Pages) testDAF(c *web.Request, _ url.Values) (done web.Done, err error) {
	t := c.Text().DAFProvider
	done.To = web.SystemPath
	is, err := p.DAFConnection.Test(c.Ctx(), c.Actor())
	if f, ok := fault.As(err); ok && (f.Kind == fault.KindRefused || f.Kind == fault.KindUnavailable) {
		done.Toast = ui.Toast{Tone: ui.Danger, Text: t.NotTested + ". " + f.Message}
		return done, nil
	}
	done.Toast = testedToast(t, is)
	return done, err
}

func testedToast(t text.DAFProvider, is connection.Connection) ui.Toast {
	if len(is.Needs) > 0 {
		return ui.Toast{Tone: ui.Warning, Text: t.Missing}
	}
	return ui.Toast{Tone: ui.Success, Text: t.AllWell}
}
