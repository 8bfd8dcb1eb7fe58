package portal

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/devtools/signature"
	"svcpay/views"
	"svcpay/views/ui"
)

func (p *Portal) debugRoutes() []route {
	return []route{
		{http.MethodGet, debugPath, access(authz.WebhookManage), p.showDebugger},
		{http.MethodPost, debugPath, access(authz.WebhookManage), p.checkSignature},
	}
}

// showDebugger asks for a delivery. One that the address names is filled in as it was sent last.
func (p *Portal) showDebugger(c echo.Context) error {
	typed := url.Values{}
	if endpoint, delivery := c.QueryParam("endpoint"), c.QueryParam("delivery"); delivery != "" {
		d, err := p.Webhooks.Delivery(c.Request().Context(), actor(c), endpoint, delivery)
		if err != nil {
			return err
		}
		told, err := p.Events.Get(c.Request().Context(), actor(c), d.EventID.String())
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
func (p *Portal) debugForm(c echo.Context, status int, typed url.Values, verdict templ.Component) error {
	t := say(c).Logs
	f := views.ToolForm{Action: debugPath, Submit: ui.Button{Label: t.Check}, Dialog: ui.Dialog{Back: webhooksPath}, Parts: []templ.Component{
		ui.Textarea{Field: ui.Field{Name: "headers", Label: t.Headers, Hint: t.HeadersHint, Value: typed.Get("headers"), Required: true}, Rows: "5"}.View(),
		ui.Textarea{Field: ui.Field{Name: "body", Label: t.Body, Hint: t.BodyHint, Value: typed.Get("body"), Required: true}, Rows: "8"}.View(),
		ui.Field{Name: "secret", Label: t.Secret, Hint: t.SecretHint, Type: "password", Autocomplete: "off", Required: true}.View(),
	}}
	if typed.Get("filled") != "" {
		f.Parts = append([]templ.Component{ui.Banner{Tone: ui.Info, Title: t.Sent}.View()}, f.Parts...)
	}
	if verdict != nil {
		f.Parts = append([]templ.Component{verdict}, f.Parts...)
	}
	head := ui.Head{Title: t.Debug, Text: t.DebugText, Crumbs: toolCrumbs(say(c), say(c).Webhooks.Title, webhooksPath)}
	return render(c, status, views.ToolFormWhole(p.page(c, t.Debug), head, f))
}

func (p *Portal) checkSignature(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	t := say(c).Logs
	// A browser sends each line's end as two characters; a delivery of ours has none in it.
	body := strings.ReplaceAll(form.Get("body"), "\r\n", "\n")
	d := signature.Delivery{Header: http.Header{}, Body: []byte(body)}
	for line := range strings.Lines(form.Get("headers")) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			d.Header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	if strings.TrimSpace(form.Get("headers")) == "" || strings.TrimSpace(form.Get("secret")) == "" {
		return p.debugForm(c, http.StatusUnprocessableEntity, form, ui.Problems{Title: t.MissingInput, List: []ui.Problem{{Text: t.SecretHint}}}.View())
	}
	want := signature.Expected{Secrets: strings.Fields(form.Get("secret")), ApplicationID: actor(c).ApplicationID, Environment: "production", Now: p.Now()}
	if p.Sandbox {
		want.Environment = "sandbox"
	}
	if told, err := p.Events.Get(c.Request().Context(), actor(c), d.Header.Get(signature.HeaderID)); err == nil {
		if want.Original, err = json.Marshal(told); err != nil {
			return err
		}
	}
	return p.debugForm(c, http.StatusOK, form, p.verdict(c, signature.Diagnose(d, want), want.Original != nil))
}

// verdict shows what the check has found.
func (p *Portal) verdict(c echo.Context, v signature.Verdict, compared bool) templ.Component {
	t := say(c).Logs
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
	return views.BannerWith(ui.Banner{Tone: ui.Danger, Title: t.NotSigned + ": " + t.Found(len(v.Mistakes)), Text: note}, views.Stacked(parts...))
}
