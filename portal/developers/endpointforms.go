package developers

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/check/patch"
	"svcpay/internal/event"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

// eventGroups are the filters that cover all kinds of events about one sort of object.
func eventGroups() (out []string) {
	for _, name := range event.Names() {
		if group, _, ok := strings.Cut(name, "."); ok && !slices.Contains(out, group+".*") {
			out = append(out, group+".*")
		}
	}
	return out
}

// endpointForm makes an endpoint, or changes the one that the address names.
func (p *Pages) endpointForm(known bool) web.Form[webhook.Endpoint] {
	if !known {
		return web.Form[webhook.Endpoint]{Draw: p.drawEndpointForm, Do: p.makeEndpoint, Once: true,
			Status: http.StatusUnprocessableEntity}
	}
	return web.Form[webhook.Endpoint]{Load: p.endpoint, Draw: p.drawEndpointForm, Do: p.editEndpoint, Once: true,
		Fill: func(_ *web.Request, e webhook.Endpoint) (url.Values, error) { return typedEndpoint(e), nil }}
}

// drawEndpointForm asks what is sent where; an endpoint without an id is a new one.
func (p *Pages) drawEndpointForm(c *web.Request, e webhook.Endpoint, in web.Input) error {
	t, typed, beside := c.Text(), in.Values, in.Errors
	head := ui.Head{Title: t.Webhooks.New, Text: t.Webhooks.NewText,
		Crumbs: toolCrumbs(t, t.Webhooks.Title, web.WebhooksPath)}
	f := views.ToolForm{Action: web.WebhooksPath + "/new", Submit: ui.Button{Label: t.Webhooks.Make},
		Dialog: ui.Dialog{Back: web.WebhooksPath}, Hidden: []ui.Pair{{Key: web.OnceField, Value: web.NewOnce()}}}
	if !e.ID.IsZero() {
		f.Dialog.Back = web.WebhooksPath + "/" + e.ID.String()
		f.Action, f.Submit.Label = f.Dialog.Back+"/edit", t.Webhooks.Save
		head.Title, head.Text, head.Crumbs = t.Webhooks.EditTitle, e.URL, append(head.Crumbs,
			ui.Crumb{Label: web.EndpointHost(e.URL), Href: f.Dialog.Back})
		f.Hidden = append(f.Hidden, ui.Pair{Key: web.VersionField, Value: in.Version(e.Version)})
	}
	f.Problems = in.Problems
	if in.Changed() {
		f.Problems = ui.Problems{Title: t.Webhooks.Changed,
			List: []ui.Problem{{Text: t.Webhooks.ChangedText + " " + e.URL + ", " +
				strings.Join(e.Events, ", ") + ", " + web.Deref(e.Description)}}}
	}
	hint := t.Webhooks.URLHint
	if p.Sandbox {
		hint = t.Webhooks.URLSandbox
	}
	groups := ui.Checkboxes{
		Field:  ui.Field{Name: "groups", Label: t.Webhooks.Which, Hint: t.Webhooks.WhichHint},
		Chosen: typed["groups"]}
	groups.Options = web.Options(eventGroups(), nil)
	f.Parts = []templ.Component{
		ui.Field{Name: "url", Label: t.Webhooks.URL, Hint: hint, Type: "url", Value: typed.Get("url"),
			Error: beside["url"], Required: true, Autocomplete: "off", Focus: in.Refused == nil}.View(),
		groups.View(),
		ui.Textarea{Field: ui.Field{Name: "events", Label: t.Webhooks.Single, Hint: t.Webhooks.SingleHint,
			Value: typed.Get("events"), Error: beside["events"], Optional: true}, Rows: "2"}.View(),
		ui.Field{Name: "description", Label: t.Webhooks.Description, Hint: t.Webhooks.DescriptionHint,
			Value: typed.Get("description"), Error: beside["description"], Optional: true, Autocomplete: "off"}.View(),
	}
	return web.Render(c, in.Status, views.ToolFormWhole(c.Page(head.Title), head, f))
}

// filtersOf are the filters that a form asks for: all events if it names none.
func filtersOf(form url.Values) []string {
	out := append(slices.Clone(form["groups"]), lines(form.Get("events"))...)
	if len(out) == 0 {
		return []string{"*"}
	}
	return out
}

func (p *Pages) makeEndpoint(c *web.Request, _ webhook.Endpoint, in web.Input) (done web.Done, err error) {
	address, t := strings.TrimSpace(in.Get("url")), c.Text().Webhooks
	e, err := web.Settled(p.Webhooks.Create(c.Ctx(), c.Actor(),
		webhook.CreateInput{URL: &address, Events: filtersOf(in.Values),
			Description: web.TextOrNil(in.Get("description"))}, in.Claim))
	return web.Done{Page: func(*web.Request) error { return showSecret(c, e, t.MadeTitle, t.Steps()) }}, err
}

// showSecret shows what signs the events for an endpoint, this once.
func showSecret(c *web.Request, e webhook.Endpoint, title string, steps []string) error {
	t := c.Text()
	at := web.WebhooksPath + "/" + e.ID.String()
	view := views.NewKeyText{
		Head:  ui.Head{Title: title, Text: e.URL, Crumbs: toolCrumbs(t, t.Webhooks.Title, web.WebhooksPath)},
		Label: t.Webhooks.Secret,
		Title: t.Webhooks.SecretOnce, Text: t.Webhooks.SecretOnceText, Tone: ui.Warning, Key: e.Secret, Steps: steps,
		Next: ui.Button{Label: t.Webhooks.See, Href: at}}
	return web.Render(c, http.StatusOK, views.NewKeyPage(c.Page(title), view))
}

// typedEndpoint is an endpoint as its form has it.
func typedEndpoint(e webhook.Endpoint) url.Values {
	typed := url.Values{"url": {e.URL}, "description": {web.Deref(e.Description)}}
	var single []string
	for _, f := range e.Events {
		if slices.Contains(eventGroups(), f) {
			typed.Add("groups", f)
		} else if f != "*" {
			single = append(single, f)
		}
	}
	typed.Set("events", strings.Join(single, "\n"))
	return typed
}

func (p *Pages) editEndpoint(c *web.Request, _ webhook.Endpoint, in web.Input) (done web.Done, err error) {
	if done.To = web.WebhooksPath + "/" + c.ID(); in.IfVersion() == nil {
		return done, web.ErrOnce
	}
	address, description := strings.TrimSpace(in.Get("url")), patch.Clear[string]()
	if words := web.TextOrNil(in.Get("description")); words != nil {
		description = patch.Set(*words)
	}
	_, err = web.Settled(p.Webhooks.Update(c.Ctx(), c.Actor(), c.ID(),
		webhook.UpdateInput{URL: &address, Events: filtersOf(in.Values), Description: description,
			IfVersion: in.IfVersion()}, in.Claim))
	return web.Saved(done.To, c.Text().Webhooks.Saved, err)
}

// rotateForm replaces the secret of an endpoint, while the old one is used too for some time.
func (p *Pages) rotateForm() web.Form[webhook.Endpoint] {
	return web.Form[webhook.Endpoint]{Load: p.endpoint, Draw: drawRotate, Once: true,
		Do: func(c *web.Request, e webhook.Endpoint, in web.Input) (web.Done, error) {
			overlap, t := in.Get("overlap"), c.Text().Webhooks
			e, err := web.Settled(p.Webhooks.Rotate(c.Ctx(), c.Actor(), c.ID(), webhook.RotateInput{Overlap: &overlap},
				in.Claim))
			return web.Done{
				Page: func(*web.Request) error { return showSecret(c, e, t.RotatedTitle, t.RotatedSteps()) }}, err
		}}
}

func drawRotate(c *web.Request, e webhook.Endpoint, in web.Input) error {
	t, at := c.Text().Webhooks, web.WebhooksPath+"/"+e.ID.String()
	overlaps := ui.Radios{
		Field: ui.Field{Name: "overlap", Label: t.Overlap, Value: "24h", Error: in.Errors["overlap"], Required: true}}
	for _, o := range webhook.Overlaps() {
		overlaps.Options = append(overlaps.Options,
			ui.Option{Value: o, Label: t.Overlaps[o], Detail: t.OverlapTexts[o]})
	}
	f := views.ToolForm{Action: at + "/rotate", Problems: in.Problems, Submit: ui.Button{Label: t.RotateButton},
		Hidden: []ui.Pair{{Key: web.OnceField, Value: web.NewOnce()}},
		Dialog: ui.Dialog{Title: t.Rotate, Text: t.RotateText, Back: at}, Parts: []templ.Component{overlaps.View()}}
	return web.Render(c, in.Status, views.ToolFormPage(c.Page(t.Rotate), f))
}

// showSwitchEndpoint asks whether an endpoint is really to be enabled, disabled or deleted: the end of its address.
func showSwitchEndpoint(c *web.Request, e webhook.Endpoint) error {
	t, at := c.Text().Webhooks, web.WebhooksPath+"/"+e.ID.String()
	f := views.ToolForm{Sharp: true, Dialog: ui.Dialog{Title: t.Enable, Text: t.EnableText, Back: at},
		Submit: ui.Button{Label: t.Enable},
		Parts:  []templ.Component{ui.KeyValue([]ui.Pair{{Key: t.Endpoint, Value: e.URL}})}}
	switch act := c.Path()[strings.LastIndexByte(c.Path(), '/'):]; act {
	case "/disable":
		f.Dialog.Title, f.Dialog.Text, f.Submit = t.DisableTitle, t.DisableText, ui.Button{Label: t.DisableTitle}
		f.Action = at + act
	case "/delete":
		f.Dialog.Title, f.Dialog.Text, f.Submit = t.DeleteTitle, t.DeleteText, ui.Button{
			Label: t.DeleteTitle, Variant: ui.Destructive}
		f.Action, f.Hidden = at+act, []ui.Pair{{Key: web.VersionField, Value: strconv.Itoa(e.Version)}}
	default:
		f.Action = at + act
	}
	return web.Render(c, http.StatusOK, views.ToolFormPage(c.Page(f.Dialog.Title), f))
}

func (p *Pages) enableEndpoint(c *web.Request, _ url.Values) (web.Done, error) {
	_, err := p.Webhooks.Enable(c.Ctx(), c.Actor(), c.ID(), nil)
	return web.Saved(web.WebhooksPath+"/"+c.ID(), c.Text().Webhooks.Enabled, err)
}

func (p *Pages) disableEndpoint(c *web.Request, _ url.Values) (web.Done, error) {
	_, err := p.Webhooks.Disable(c.Ctx(), c.Actor(), c.ID(), nil)
	return web.Saved(web.WebhooksPath+"/"+c.ID(), c.Text().Webhooks.Disabled, err)
}

func (p *Pages) deleteEndpoint(c *web.Request, form url.Values) (web.Done, error) {
	_, err := p.Webhooks.Delete(c.Ctx(), c.Actor(), c.ID(),
		webhook.DeleteInput{IfVersion: web.Input{Values: form}.IfVersion()}, nil)
	return web.Saved(web.WebhooksPath, c.Text().Webhooks.Deleted, err)
}
