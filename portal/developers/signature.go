package developers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/devtools/signature"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

func (p *Pages) debugRoutes() []web.Route {
	return []web.Route{
		web.Get(web.DebugPath, authz.WebhookManage, p.showDebugger),
		web.Post(web.DebugPath, authz.WebhookManage, p.checkSignature),
	}
}

// showDebugger asks for a delivery. One that the address names is filled in as it was sent last.
func (p *Pages) showDebugger(c *web.Request) error {
	typed := url.Values{}
	if endpoint, delivery := c.QueryParam("endpoint"), c.QueryParam("delivery"); delivery != "" {
		d, err := p.Webhooks.Delivery(c.Ctx(), c.Actor(), endpoint, delivery)
		if err != nil {
			return err
		}
		told, err := p.Events.Get(c.Ctx(), c.Actor(), d.EventID.String())
		if err != nil {
			return err
		}
		body, err := json.Marshal(told)
		if err != nil {
			return err
		}
		if n := len(d.Attempts); n > 0 {
			typed.Set("headers", headerLines(d.Attempts[n-1].Request))
		}
		typed.Set("body", string(body))
		typed.Set("filled", "yes")
	}
	return p.debugForm(c, http.StatusOK, typed, nil)
}

// debugForm shows the form with what was typed, except for the secret, and the verdict above it.
func (p *Pages) debugForm(c *web.Request, status int, typed url.Values, verdict templ.Component) error {
	t := c.Text().Logs
	f := views.ToolForm{Action: web.DebugPath, Submit: ui.Button{Label: t.Check},
		Dialog: ui.Dialog{Back: web.WebhooksPath}, Parts: []templ.Component{
			ui.Textarea{
				Field: ui.Field{Name: "headers", Label: t.Headers, Hint: t.HeadersHint, Value: typed.Get("headers"),
					Required: true}, Rows: "5"}.View(),
			ui.Textarea{
				Field: ui.Field{Name: "body", Label: t.Body, Hint: t.BodyHint, Value: typed.Get("body"),
					Required: true}, Rows: "8"}.View(),
			ui.Field{Name: "secret", Label: t.Secret, Hint: t.SecretHint, Type: "password", Autocomplete: "off",
				Required: true}.View(),
		}}
	if typed.Get("filled") != "" {
		f.Parts = append([]templ.Component{ui.Banner{Tone: ui.Info, Title: t.Sent}.View()}, f.Parts...)
	}
	if verdict != nil {
		f.Parts = append([]templ.Component{verdict}, f.Parts...)
	}
	head := ui.Head{Title: t.Debug, Text: t.DebugText,
		Crumbs: toolCrumbs(c.Text(), c.Text().Webhooks.Title, web.WebhooksPath)}
	return web.Render(c, status, views.ToolFormWhole(c.Page(t.Debug), head, f))
}

func (p *Pages) checkSignature(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	t := c.Text().Logs
	// A browser sends each line's end as two characters; a delivery of ours has none in it.
	body := strings.ReplaceAll(form.Get("body"), "\r\n", "\n")
	d := signature.Delivery{Header: http.Header{}, Body: []byte(body)}
	for line := range strings.Lines(form.Get("headers")) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			d.Header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	if strings.TrimSpace(form.Get("headers")) == "" || strings.TrimSpace(form.Get("secret")) == "" {
		return p.debugForm(c, http.StatusUnprocessableEntity, form,
			ui.Problems{Title: t.MissingInput, List: []ui.Problem{{Text: t.SecretHint}}}.View())
	}
	want := signature.Expected{Secrets: strings.Fields(form.Get("secret")), Now: p.Now()}
	if told, err := p.Events.Get(c.Ctx(), c.Actor(), d.Header.Get(signature.HeaderID)); err == nil {
		if want.Original, err = json.Marshal(told); err != nil {
			return err
		}
	}
	return p.debugForm(c, http.StatusOK, form, p.verdict(c, signature.Diagnose(d, want), want.Original != nil))
}

// verdict shows what the check has found.
func (p *Pages) verdict(c *web.Request, v signature.Verdict, compared bool) templ.Component {
	t := c.Text().Logs
	if len(v.Mistakes) == 0 {
		return ui.Banner{Tone: ui.Success, Title: t.Signed, Text: t.SignedText}.View()
	}
	parts := []templ.Component{}
	for _, m := range v.Mistakes {
		parts = append(parts, views.Finding(t.Mistakes[string(m.Kind)], views.Paragraph(m.Text)))
	}
	note := t.SecretKept
	if compared {
		note = t.CheckedAgainst + " " + note
	}
	return views.BannerWith(ui.Banner{Tone: ui.Danger, Title: t.NotSigned + ": " + t.Found(len(v.Mistakes)),
		Text: note}, views.Stacked(parts...))
}
