package portal

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/page"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

// showTest asks for a test event: its type, and its object, which can be filled in with the latest of that type.
func (p *Portal) showTest(c *web.Request) error {
	e, err := p.endpoint(c)
	if err != nil {
		return err
	}
	name := c.QueryParam("type")
	if !slices.Contains(event.Names(), name) {
		name = pingType
	}
	body, err := p.example(c, name)
	if err != nil {
		return err
	}
	return p.testForm(c, http.StatusOK, e, url.Values{"type": {name}, "body": {body}}, nil)
}

// pingType is the type of a test that needs no object.
const pingType = "ping"

// example is the object of the latest event of a type, or what such an object has at least.
func (p *Portal) example(c *web.Request, name string) (string, error) {
	if name == pingType {
		return "", nil
	}
	latest, err := p.Events.List(c.Ctx(), c.Actor(), event.ListInput{Page: page.Input[int64]{Limit: 1}, Types: []string{name}})
	if err != nil {
		return "", err
	}
	if len(latest.Items) > 0 {
		return indented(latest.Items[0].Data.Object), nil
	}
	i := slices.IndexFunc(event.Types(), func(t event.Type) bool { return t.Name == name })
	return indented(map[string]any{"object": event.Types()[i].Object, "version": 1}), nil
}

func (p *Portal) testForm(c *web.Request, status int, e webhook.Endpoint, typed url.Values, refused error) error {
	t, at := c.Text(), webhooksPath+"/"+e.ID.String()
	above, beside, _ := web.Problems(c.Text(), refused, t.Failures.Correct, map[string]string{"data": "body"})
	types := ui.Select{Field: ui.Field{Name: "type", Label: t.Webhooks.TestType, Value: typed.Get("type"), Error: beside["type"]}}
	for _, name := range event.Names() {
		types.Options = append(types.Options, ui.Option{Value: name, Label: name})
	}
	f := views.ToolForm{Action: at + "/test", Problems: above, Dialog: ui.Dialog{Back: at}, Submit: ui.Button{Label: t.Webhooks.TestSend},
		Hidden: []ui.Pair{{Key: web.OnceField, Value: web.NewOnce()}, {Key: "type", Value: typed.Get("type")}}}
	if typed.Get("type") != pingType {
		f.Parts = []templ.Component{ui.Textarea{Field: ui.Field{Name: "body", Label: t.Webhooks.Body, Hint: t.Webhooks.BodyHint, Value: typed.Get("body"), Error: beside["body"]}, Rows: "12"}.View()}
	}
	head := ui.Head{Title: t.Webhooks.Test, Text: t.Webhooks.TestText, Crumbs: append(toolCrumbs(t, t.Webhooks.Title, webhooksPath), ui.Crumb{Label: endpointHost(e.URL), Href: at})}
	return web.Render(c, status, views.TestEventPage(c.Page(head.Title), head, at+"/test", types, f))
}

func (p *Portal) sendTest(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	claim, err := web.Once(c, form)
	if err != nil {
		return err
	}
	e, err := p.endpoint(c)
	if err != nil {
		return err
	}
	name := form.Get("type")
	in := webhook.TestInput{Type: &name}
	var refused error
	if body := strings.TrimSpace(form.Get("body")); body != "" {
		in.Data = new(webhook.Sample)
		if json.Unmarshal([]byte(body), in.Data) != nil {
			refused = fault.Invalid("parameter_invalid", c.Text().Webhooks.BodyWrong).On("data")
		}
	}
	var d webhook.Delivery
	if refused == nil {
		d, refused = web.Settled(p.Webhooks.Test(c.Ctx(), c.Actor(), e.ID.String(), in, claim))
	}
	if _, _, ok := web.Problems(c.Text(), refused, "", nil); ok {
		f, _ := fault.As(refused)
		return p.testForm(c, web.StatusOf(f.Kind), e, form, refused)
	}
	if refused != nil {
		return refused
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: c.Text().Webhooks.Sent})
	return web.SeeOther(c, webhooksPath+"/"+e.ID.String()+"/deliveries/"+d.ID.String())
}

// showReplayForm asks which past events are to be sent again: those that were missed, from the first on of which that is known.
func (p *Portal) showReplayForm(c *web.Request) error {
	e, err := p.endpoint(c)
	if err != nil {
		return err
	}
	failures, err := p.Webhooks.Failures(c.Ctx(), c.Actor(), e.ID)
	if err != nil {
		return err
	}
	since := e.FailingSince
	for _, f := range failures {
		since = oldest(since, &f.First)
	}
	if since == nil {
		since = oldest(e.LastSuccessAt, &e.UpdatedAt)
	}
	// A day has begun before, and elsewhere a day earlier.
	if known := instant.Of(p.Now().Add(48*time.Hour - webhook.MissedWithin)); since.Before(known.Time) {
		since = &known
	}
	day := since.In(c.Viewer().Zone).Format(time.DateOnly)
	return p.replayForm(c, http.StatusOK, e, url.Values{"since": {day}, "which": {"failed"}}, nil)
}

func (p *Portal) replayForm(c *web.Request, status int, e webhook.Endpoint, typed url.Values, refused error) error {
	t, at := c.Text(), webhooksPath+"/"+e.ID.String()
	above, beside, _ := web.Problems(c.Text(), refused, t.Failures.Correct, nil)
	f := views.ToolForm{Action: at + "/replay", Sharp: true, Problems: above, Submit: ui.Button{Label: t.Webhooks.ReplayStart}, Hidden: []ui.Pair{{Key: web.OnceField, Value: web.NewOnce()}},
		Dialog: ui.Dialog{Title: t.Webhooks.Replay, Text: t.Webhooks.ReplayText, Back: at},
		Parts: []templ.Component{
			ui.Radios{Field: ui.Field{Name: "which", Label: t.Webhooks.WhichEvents, Value: typed.Get("which"), Error: beside["which"], Required: true}, Options: []ui.Option{
				{Value: "failed", Label: t.Webhooks.Missing, Detail: t.Webhooks.MissingText}, {Value: "all", Label: t.Webhooks.All, Detail: t.Webhooks.AllText}}}.View(),
			ui.DateField(ui.Field{Name: "since", Label: t.Webhooks.From, Hint: t.Webhooks.FromHint, Value: typed.Get("since"), Error: beside["since"], Required: true}).View(),
			ui.DateField(ui.Field{Name: "until", Label: t.Webhooks.Until, Hint: t.Webhooks.UntilHint, Value: typed.Get("until"), Error: beside["until"], Optional: true}).View(),
		}}
	return web.Render(c, status, views.ToolFormPage(c.Page(t.Webhooks.Replay), f))
}

// replayInput reads what a form asks for.
func replayInput(c *web.Request, form url.Values) (in webhook.ReplayInput, err error) {
	var fs fault.Fields
	zone, which := c.Viewer().Zone, form.Get("which")
	in.Which = &which
	day := func(name string) *time.Time {
		if form.Get(name) == "" {
			return nil
		}
		at, err := time.ParseInLocation(time.DateOnly, form.Get(name), zone)
		if err != nil {
			fs.Add(name, "parameter_invalid", c.Text().Webhooks.DayWrong)
			return nil
		}
		return &at
	}
	in.Since, in.Until = day("since"), day("until")
	if in.Until != nil {
		end := in.Until.AddDate(0, 0, 1).Add(-time.Millisecond)
		in.Until = &end
	}
	return in, fs.Err()
}

func (p *Portal) startReplay(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	claim, err := web.Once(c, form)
	if err != nil {
		return err
	}
	e, err := p.endpoint(c)
	if err != nil {
		return err
	}
	in, refused := replayInput(c, form)
	var r webhook.Replay
	if refused == nil {
		r, refused = web.Settled(p.Webhooks.StartReplay(c.Ctx(), c.Actor(), e.ID.String(), in, claim))
	}
	if _, _, ok := web.Problems(c.Text(), refused, "", nil); ok {
		f, _ := fault.As(refused)
		return p.replayForm(c, web.StatusOf(f.Kind), e, form, refused)
	}
	if refused != nil {
		return refused
	}
	return web.SeeOther(c, webhooksPath+"/"+e.ID.String()+"/replays/"+r.ID.String())
}

// replay reads the replay that the address names, of the endpoint that it names.
func (p *Portal) replay(c *web.Request) (webhook.Endpoint, webhook.Replay, error) {
	e, err := p.endpoint(c)
	if err != nil {
		return e, webhook.Replay{}, err
	}
	r, err := p.Webhooks.GetReplay(c.Ctx(), c.Actor(), c.Param("replay"))
	if err == nil && r.EndpointID != e.ID {
		err = fault.Missing()
	}
	return e, r, err
}

func (p *Portal) showReplay(c *web.Request) error {
	e, r, err := p.replay(c)
	if err != nil {
		return err
	}
	counts, before, err := p.Webhooks.Progress(c.Ctx(), c.Actor(), r)
	if err != nil {
		return err
	}
	t, v, at := c.Text(), c.Viewer(), webhooksPath+"/"+e.ID.String()
	view := views.ReplayState{Href: at + "/replays/" + r.ID.String(), Status: replayStatus(t, r), Done: r.Done, Total: r.Total,
		Queued:  counts["succeeded"] + counts["pending"] + counts["failed"] + counts["canceled"],
		Arrived: counts["succeeded"], Waiting: counts["pending"], Lost: counts["failed"] + counts["canceled"], Earlier: before["pending"],
		Busy: r.Status == "running" || counts["pending"]+before["pending"] > 0,
		Over: r.Status != "running", Said: t.Webhooks.Running, List: at + "?at_from=" + r.CreatedAt.In(v.Zone).Format(time.DateOnly)}
	switch {
	case r.Status == "done" && !view.Busy: // all of it was sent
		view.Status = t.Webhooks.Done
	case view.Over:
		view.Said = view.Status
	}
	if !view.Busy {
		view.Said = t.Webhooks.Ended(view.Status, view.Arrived, view.Lost)
	}
	if !view.Over && c.May(authz.WebhookManage) {
		view.Cancel = view.Href + "/cancel"
	}
	head := ui.Head{Title: t.Webhooks.ReplayTitle, Text: e.URL, Crumbs: append(toolCrumbs(t, t.Webhooks.Title, webhooksPath), ui.Crumb{Label: endpointHost(e.URL), Href: at})}
	which := t.Webhooks.All
	if r.Which == "failed" {
		which = t.Webhooks.Missing
	}
	view.Facts = []ui.Fact{{Key: t.Webhooks.WhichEvents, Value: ui.Plain(which)}, {Key: t.Webhooks.From, Value: ui.Time(r.Since.Time)}, {Key: t.Webhooks.Until, Value: ui.Time(r.Until.Time)},
		{Key: t.Webhooks.ID, Value: ui.Copied(t.Webhooks.ID, r.ID.String())}}
	return web.Render(c, http.StatusOK, views.ReplayPage(c.Page(head.Title), head, view))
}

func (p *Portal) cancelReplay(c *web.Request) error {
	e, r, err := p.replay(c)
	if err != nil {
		return err
	}
	if _, err := p.Webhooks.CancelReplay(c.Ctx(), c.Actor(), r.ID.String(), nil); err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: c.Text().Webhooks.Canceled})
	return web.SeeOther(c, webhooksPath+"/"+e.ID.String()+"/replays/"+r.ID.String())
}
