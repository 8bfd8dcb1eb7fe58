package portal

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"svcpay/internal/check/patch"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/webhook"
	"svcpay/views"
	"svcpay/views/ui"
)

// settled is what a request came to: now, or when an earlier one with the same claim did it.
func settled[T any](out idempotency.Result[T], err error) (T, error) {
	if err != nil || out.Prior == nil {
		return out.Object, err
	}
	if out.Prior.Outcome.Refusal != nil {
		return out.Object, out.Prior.Outcome.Refusal
	}
	return out.Object, json.Unmarshal(out.Prior.Outcome.Result, &out.Object)
}

// eventGroups are the filters that cover all kinds of events about one sort of object.
func eventGroups() (out []string) {
	for _, name := range event.Names() {
		if group, _, ok := strings.Cut(name, "."); ok && !slices.Contains(out, group+".*") {
			out = append(out, group+".*")
		}
	}
	return out
}

func (p *Portal) showNewEndpoint(c echo.Context) error {
	return p.endpointForm(c, http.StatusOK, webhook.Endpoint{}, url.Values{}, nil)
}

// endpointForm asks what is sent where; an endpoint without an id is a new one.
func (p *Portal) endpointForm(c echo.Context, status int, e webhook.Endpoint, typed url.Values, refused error) error {
	t := say(c)
	head := ui.Head{Title: t.Webhooks.New, Text: t.Webhooks.NewText, Crumbs: toolCrumbs(t, t.Webhooks.Title, webhooksPath)}
	f := views.ToolForm{Action: webhooksPath + "/new", Submit: ui.Button{Label: t.Webhooks.Make}, Dialog: ui.Dialog{Back: webhooksPath}, Hidden: []ui.Pair{{Key: onceField, Value: newOnce()}}}
	if !e.ID.IsZero() {
		f.Dialog.Back = webhooksPath + "/" + e.ID.String()
		f.Action, f.Submit.Label = f.Dialog.Back+"/edit", t.Webhooks.Save
		head.Title, head.Text, head.Crumbs = t.Webhooks.Edit, e.URL, append(head.Crumbs, ui.Crumb{Label: endpointHost(e.URL), Href: f.Dialog.Back})
		f.Hidden = append(f.Hidden, ui.Pair{Key: versionField, Value: cmp.Or(versionKept(typed, refused), strconv.Itoa(e.Version))})
	}
	above, beside, _ := problems(say(c), refused, t.Failures.Correct, nil)
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
	return render(c, status, views.ToolFormWhole(p.page(c, head.Title), head, f))
}

// filtersOf are the filters that a form asks for: all events if it names none.
func filtersOf(form url.Values) []string {
	out := append(slices.Clone(form["groups"]), lines(form.Get("events"))...)
	if len(out) == 0 {
		return []string{"*"}
	}
	return out
}

func (p *Portal) makeEndpoint(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	claim, err := once(c, form)
	if err != nil {
		return err
	}
	address, description := strings.TrimSpace(form.Get("url")), strings.TrimSpace(form.Get("description"))
	in := webhook.CreateInput{URL: &address, Events: filtersOf(form)}
	if description != "" {
		in.Description = &description
	}
	e, err := settled(p.Webhooks.Create(c.Request().Context(), actor(c), in, claim))
	if _, _, ok := problems(say(c), err, "", nil); ok {
		return p.endpointForm(c, http.StatusUnprocessableEntity, webhook.Endpoint{}, form, err)
	}
	if err != nil {
		return err
	}
	t := say(c).Webhooks
	return p.showSecret(c, e, t.MadeTitle, t.Steps())
}

// showSecret shows what signs the events for an endpoint, this once.
func (p *Portal) showSecret(c echo.Context, e webhook.Endpoint, title string, steps []string) error {
	t := say(c)
	at := webhooksPath + "/" + e.ID.String()
	view := views.NewKeyText{Head: ui.Head{Title: title, Text: e.URL, Crumbs: toolCrumbs(t, t.Webhooks.Title, webhooksPath)}, Label: t.Webhooks.Secret,
		Title: t.Webhooks.SecretOnce, Text: t.Webhooks.SecretOnceText, Tone: ui.Warning, Key: e.Secret, Steps: steps, Next: ui.Button{Label: t.Webhooks.See, Href: at}}
	return render(c, http.StatusOK, views.NewKeyPage(p.page(c, title), view))
}

func (p *Portal) showEndpointEdit(c echo.Context) error {
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

func (p *Portal) editEndpoint(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	claim, err := once(c, form)
	if err != nil {
		return err
	}
	version, err := strconv.Atoi(form.Get(versionField))
	if err != nil {
		return errOnce
	}
	address, description := strings.TrimSpace(form.Get("url")), strings.TrimSpace(form.Get("description"))
	in := webhook.UpdateInput{URL: &address, Events: filtersOf(form), Description: patch.Set(description), IfVersion: &version}
	if description == "" {
		in.Description = patch.Clear[string]()
	}
	_, err = settled(p.Webhooks.Update(c.Request().Context(), actor(c), c.Param("id"), in, claim))
	if _, _, ok := problems(say(c), err, "", nil); ok {
		e, read := p.endpoint(c)
		if read != nil {
			return read
		}
		f, _ := fault.As(err)
		return p.endpointForm(c, statusOf(f.Kind), e, form, err)
	}
	return p.endpointDone(c, err, say(c).Webhooks.Saved)
}

// endpointDone tells what became of a change and leads back to the endpoint.
func (p *Portal) endpointDone(c echo.Context, err error, words string) error {
	if err != nil {
		return err
	}
	tell(c, ui.Toast{Tone: ui.Success, Text: words})
	return seeOther(c, webhooksPath+"/"+c.Param("id"))
}

func (p *Portal) showRotate(c echo.Context) error {
	e, err := p.endpoint(c)
	if err != nil {
		return err
	}
	t, at := say(c).Webhooks, webhooksPath+"/"+e.ID.String()
	overlaps := ui.Radios{Field: ui.Field{Name: "overlap", Label: t.Overlap, Value: "24h", Required: true}}
	for _, o := range webhook.Overlaps() {
		overlaps.Options = append(overlaps.Options, ui.Option{Value: o, Label: t.Overlaps[o], Detail: t.OverlapTexts[o]})
	}
	f := views.ToolForm{Action: at + "/rotate", Submit: ui.Button{Label: t.RotateButton}, Hidden: []ui.Pair{{Key: onceField, Value: newOnce()}},
		Dialog: ui.Dialog{Title: t.Rotate, Text: t.RotateText, Back: at}, Parts: []templ.Component{overlaps.View()}}
	return render(c, http.StatusOK, views.ToolFormPage(p.page(c, t.Rotate), f))
}

func (p *Portal) rotateSecret(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	claim, err := once(c, form)
	if err != nil {
		return err
	}
	overlap := form.Get("overlap")
	e, err := settled(p.Webhooks.Rotate(c.Request().Context(), actor(c), c.Param("id"), webhook.RotateInput{Overlap: &overlap}, claim))
	if err != nil {
		return err
	}
	t := say(c).Webhooks
	return p.showSecret(c, e, t.RotatedTitle, t.RotatedSteps())
}

// showSwitchEndpoint asks whether an endpoint is really to be enabled, disabled or deleted: the end of its address.
func (p *Portal) showSwitchEndpoint(c echo.Context) error {
	e, err := p.endpoint(c)
	if err != nil {
		return err
	}
	t, at := say(c).Webhooks, webhooksPath+"/"+e.ID.String()
	f := views.ToolForm{Sharp: true, Dialog: ui.Dialog{Title: t.Enable, Text: t.EnableText, Back: at}, Submit: ui.Button{Label: t.Enable},
		Parts: []templ.Component{ui.KeyValue([]ui.Pair{{Key: t.Endpoint, Value: e.URL}})}}
	switch act := c.Path()[strings.LastIndexByte(c.Path(), '/'):]; act {
	case "/disable":
		f.Dialog.Title, f.Dialog.Text, f.Submit = t.Disable, t.DisableText, ui.Button{Label: t.Disable}
		f.Action = at + act
	case "/delete":
		f.Dialog.Title, f.Dialog.Text, f.Submit = t.Delete, t.DeleteText, ui.Button{Label: t.Delete, Variant: ui.Destructive}
		f.Action, f.Hidden = at+act, []ui.Pair{{Key: versionField, Value: strconv.Itoa(e.Version)}}
	default:
		f.Action = at + act
	}
	return render(c, http.StatusOK, views.ToolFormPage(p.page(c, f.Dialog.Title), f))
}

func (p *Portal) enableEndpoint(c echo.Context) error {
	_, err := p.Webhooks.Enable(c.Request().Context(), actor(c), c.Param("id"), nil)
	return p.endpointDone(c, err, say(c).Webhooks.Enabled)
}

func (p *Portal) disableEndpoint(c echo.Context) error {
	_, err := p.Webhooks.Disable(c.Request().Context(), actor(c), c.Param("id"), nil)
	return p.endpointDone(c, err, say(c).Webhooks.Disabled)
}

func (p *Portal) deleteEndpoint(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	var in webhook.DeleteInput
	if version, err := strconv.Atoi(form.Get(versionField)); err == nil {
		in.IfVersion = &version
	}
	if _, err := p.Webhooks.Delete(c.Request().Context(), actor(c), c.Param("id"), in, nil); err != nil {
		return err
	}
	tell(c, ui.Toast{Tone: ui.Success, Text: say(c).Webhooks.Deleted})
	return seeOther(c, webhooksPath)
}
