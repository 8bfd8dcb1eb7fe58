package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/check/patch"
	"svcpay/internal/event"
	"svcpay/internal/fault"
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

func (p *Portal) showNewEndpoint(c *web.Request) error {
	return p.endpointForm(c, http.StatusOK, webhook.Endpoint{}, url.Values{}, nil)
}

// endpointForm asks what is sent where; an endpoint without an id is a new one.
func (p *Portal) endpointForm(c *web.Request, status int, e webhook.Endpoint, typed url.Values, refused error) error {
	t := c.Text()
	head := ui.Head{Title: t.Webhooks.New, Text: t.Webhooks.NewText, Crumbs: toolCrumbs(t, t.Webhooks.Title, webhooksPath)}
	f := views.ToolForm{Action: webhooksPath + "/new", Submit: ui.Button{Label: t.Webhooks.Make}, Dialog: ui.Dialog{Back: webhooksPath}, Hidden: []ui.Pair{{Key: web.OnceField, Value: web.NewOnce()}}}
	if !e.ID.IsZero() {
		f.Dialog.Back = webhooksPath + "/" + e.ID.String()
		f.Action, f.Submit.Label = f.Dialog.Back+"/edit", t.Webhooks.Save
		head.Title, head.Text, head.Crumbs = t.Webhooks.Edit, e.URL, append(head.Crumbs, ui.Crumb{Label: endpointHost(e.URL), Href: f.Dialog.Back})
		f.Hidden = append(f.Hidden, ui.Pair{Key: web.VersionField, Value: cmp.Or(web.VersionKept(typed, refused), strconv.Itoa(e.Version))})
	}
	above, beside, _ := web.Problems(c.Text(), refused, t.Failures.Correct, nil)
	f.Problems = above
	if fault.HasCode(refused, "object_changed") {
		f.Problems = ui.Problems{Title: t.Webhooks.Changed, List: []ui.Problem{{Text: t.Webhooks.ChangedText + " " + e.URL + ", " + strings.Join(e.Events, ", ") + ", " + deref(e.Description)}}}
	}
	hint := t.Webhooks.URLHint
	if p.Sandbox {
		hint = t.Webhooks.URLSandbox
	}
	groups := ui.Checkboxes{Field: ui.Field{Name: "groups", Label: t.Webhooks.Which, Hint: t.Webhooks.WhichHint, Error: beside["events"]}, Chosen: typed["groups"]}
	for _, g := range eventGroups() {
		groups.Options = append(groups.Options, ui.Option{Value: g, Label: g})
	}
	f.Parts = []templ.Component{
		ui.Field{Name: "url", Label: t.Webhooks.URL, Hint: hint, Type: "url", Value: typed.Get("url"), Error: beside["url"], Required: true, Autocomplete: "off", Focus: refused == nil}.View(),
		groups.View(),
		ui.Textarea{Field: ui.Field{Name: "events", Label: t.Webhooks.Single, Hint: t.Webhooks.SingleHint, Value: typed.Get("events"), Error: beside["events"], Optional: true}, Rows: "2"}.View(),
		ui.Field{Name: "description", Label: t.Webhooks.Description, Hint: t.Webhooks.DescriptionHint, Value: typed.Get("description"), Error: beside["description"], Optional: true, Autocomplete: "off"}.View(),
	}
	return web.Render(c, status, views.ToolFormWhole(c.Page(head.Title), head, f))
}

// filtersOf are the filters that a form asks for: all events if it names none.
func filtersOf(form url.Values) []string {
	out := append(slices.Clone(form["groups"]), lines(form.Get("events"))...)
	if len(out) == 0 {
		return []string{"*"}
	}
	return out
}

func (p *Portal) makeEndpoint(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	claim, err := web.Once(c, form)
	if err != nil {
		return err
	}
	address, description := strings.TrimSpace(form.Get("url")), strings.TrimSpace(form.Get("description"))
	in := webhook.CreateInput{URL: &address, Events: filtersOf(form)}
	if description != "" {
		in.Description = &description
	}
	e, err := web.Settled(p.Webhooks.Create(c.Ctx(), c.Actor(), in, claim))
	if _, _, ok := web.Problems(c.Text(), err, "", nil); ok {
		return p.endpointForm(c, http.StatusUnprocessableEntity, webhook.Endpoint{}, form, err)
	}
	if err != nil {
		return err
	}
	t := c.Text().Webhooks
	return p.showSecret(c, e, t.MadeTitle, t.Steps())
}

// showSecret shows what signs the events for an endpoint, this once.
func (p *Portal) showSecret(c *web.Request, e webhook.Endpoint, title string, steps []string) error {
	t := c.Text()
	at := webhooksPath + "/" + e.ID.String()
	view := views.NewKeyText{Head: ui.Head{Title: title, Text: e.URL, Crumbs: toolCrumbs(t, t.Webhooks.Title, webhooksPath)}, Label: t.Webhooks.Secret,
		Title: t.Webhooks.SecretOnce, Text: t.Webhooks.SecretOnceText, Tone: ui.Warning, Key: e.Secret, Steps: steps, Next: ui.Button{Label: t.Webhooks.See, Href: at}}
	return web.Render(c, http.StatusOK, views.NewKeyPage(c.Page(title), view))
}

func (p *Portal) showEndpointEdit(c *web.Request) error {
	e, err := p.endpoint(c)
	if err != nil {
		return err
	}
	typed := url.Values{"url": {e.URL}, "description": {deref(e.Description)}}
	var single []string
	for _, f := range e.Events {
		if slices.Contains(eventGroups(), f) {
			typed.Add("groups", f)
		} else if f != "*" {
			single = append(single, f)
		}
	}
	typed.Set("events", strings.Join(single, "\n"))
	return p.endpointForm(c, http.StatusOK, e, typed, nil)
}

func (p *Portal) editEndpoint(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	claim, err := web.Once(c, form)
	if err != nil {
		return err
	}
	version, err := strconv.Atoi(form.Get(web.VersionField))
	if err != nil {
		return web.ErrOnce
	}
	address, description := strings.TrimSpace(form.Get("url")), strings.TrimSpace(form.Get("description"))
	in := webhook.UpdateInput{URL: &address, Events: filtersOf(form), Description: patch.Set(description), IfVersion: &version}
	if description == "" {
		in.Description = patch.Clear[string]()
	}
	_, err = web.Settled(p.Webhooks.Update(c.Ctx(), c.Actor(), c.Param("id"), in, claim))
	if _, _, ok := web.Problems(c.Text(), err, "", nil); ok {
		e, read := p.endpoint(c)
		if read != nil {
			return read
		}
		f, _ := fault.As(err)
		return p.endpointForm(c, web.StatusOf(f.Kind), e, form, err)
	}
	return p.endpointDone(c, err, c.Text().Webhooks.Saved)
}

// endpointDone tells what became of a change and leads back to the endpoint.
func (p *Portal) endpointDone(c *web.Request, err error, words string) error {
	if err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: words})
	return web.SeeOther(c, webhooksPath+"/"+c.Param("id"))
}

func (p *Portal) showRotate(c *web.Request) error {
	e, err := p.endpoint(c)
	if err != nil {
		return err
	}
	t, at := c.Text().Webhooks, webhooksPath+"/"+e.ID.String()
	overlaps := ui.Radios{Field: ui.Field{Name: "overlap", Label: t.Overlap, Value: "24h", Required: true}}
	for _, o := range webhook.Overlaps() {
		overlaps.Options = append(overlaps.Options, ui.Option{Value: o, Label: t.Overlaps[o], Detail: t.OverlapTexts[o]})
	}
	f := views.ToolForm{Action: at + "/rotate", Submit: ui.Button{Label: t.RotateButton}, Hidden: []ui.Pair{{Key: web.OnceField, Value: web.NewOnce()}},
		Dialog: ui.Dialog{Title: t.Rotate, Text: t.RotateText, Back: at}, Parts: []templ.Component{overlaps.View()}}
	return web.Render(c, http.StatusOK, views.ToolFormPage(c.Page(t.Rotate), f))
}

func (p *Portal) rotateSecret(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	claim, err := web.Once(c, form)
	if err != nil {
		return err
	}
	overlap := form.Get("overlap")
	e, err := web.Settled(p.Webhooks.Rotate(c.Ctx(), c.Actor(), c.Param("id"), webhook.RotateInput{Overlap: &overlap}, claim))
	if err != nil {
		return err
	}
	t := c.Text().Webhooks
	return p.showSecret(c, e, t.RotatedTitle, t.RotatedSteps())
}

// showSwitchEndpoint asks whether an endpoint is really to be enabled, disabled or deleted: the end of its address.
func (p *Portal) showSwitchEndpoint(c *web.Request) error {
	e, err := p.endpoint(c)
	if err != nil {
		return err
	}
	t, at := c.Text().Webhooks, webhooksPath+"/"+e.ID.String()
	f := views.ToolForm{Sharp: true, Dialog: ui.Dialog{Title: t.Enable, Text: t.EnableText, Back: at}, Submit: ui.Button{Label: t.Enable},
		Parts: []templ.Component{ui.KeyValue([]ui.Pair{{Key: t.Endpoint, Value: e.URL}})}}
	switch act := c.Path()[strings.LastIndexByte(c.Path(), '/'):]; act {
	case "/disable":
		f.Dialog.Title, f.Dialog.Text, f.Submit = t.Disable, t.DisableText, ui.Button{Label: t.Disable}
		f.Action = at + act
	case "/delete":
		f.Dialog.Title, f.Dialog.Text, f.Submit = t.Delete, t.DeleteText, ui.Button{Label: t.Delete, Variant: ui.Destructive}
		f.Action, f.Hidden = at+act, []ui.Pair{{Key: web.VersionField, Value: strconv.Itoa(e.Version)}}
	default:
		f.Action = at + act
	}
	return web.Render(c, http.StatusOK, views.ToolFormPage(c.Page(f.Dialog.Title), f))
}

func (p *Portal) enableEndpoint(c *web.Request) error {
	_, err := p.Webhooks.Enable(c.Ctx(), c.Actor(), c.Param("id"), nil)
	return p.endpointDone(c, err, c.Text().Webhooks.Enabled)
}

func (p *Portal) disableEndpoint(c *web.Request) error {
	_, err := p.Webhooks.Disable(c.Ctx(), c.Actor(), c.Param("id"), nil)
	return p.endpointDone(c, err, c.Text().Webhooks.Disabled)
}

func (p *Portal) deleteEndpoint(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	var in webhook.DeleteInput
	if version, err := strconv.Atoi(form.Get(web.VersionField)); err == nil {
		in.IfVersion = &version
	}
	if _, err := p.Webhooks.Delete(c.Ctx(), c.Actor(), c.Param("id"), in, nil); err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: c.Text().Webhooks.Deleted})
	return web.SeeOther(c, webhooksPath)
}
