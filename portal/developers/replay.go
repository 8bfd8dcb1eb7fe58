package developers

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

// testForm sends a test event: its type, and its object, which is filled in with the latest of that type.
func (p *Pages) testForm() web.Form[webhook.Endpoint] {
	return web.Form[webhook.Endpoint]{Load: p.endpoint, Draw: drawTest, Do: p.sendTest, Once: true,
		Inputs: map[string]string{"data": "body"},
		Fill: func(c *web.Request, _ webhook.Endpoint) (url.Values, error) {
			name := c.QueryParam("type")
			if !slices.Contains(event.Names(), name) {
				name = pingType
			}
			body, err := p.example(c, name)
			return url.Values{"type": {name}, "body": {body}}, err
		}}
}

// pingType is the type of a test that needs no object.
const pingType = "ping"

// example is the object of the latest event of a type, or what such an object has at least.
func (p *Pages) example(c *web.Request, name string) (string, error) {
	if name == pingType {
		return "", nil
	}
	latest, err := p.Events.List(c.Ctx(), c.Actor(),
		event.ListInput{Page: page.Input[int64]{Limit: 1}, Types: []string{name}})
	if err != nil {
		return "", err
	}
	if len(latest.Items) > 0 {
		return web.Indented(latest.Items[0].Data.Object), nil
	}
	i := slices.IndexFunc(event.Types(), func(t event.Type) bool { return t.Name == name })
	return web.Indented(map[string]any{"object": event.Types()[i].Object, "version": 1}), nil
}

func drawTest(c *web.Request, e webhook.Endpoint, in web.Input) error {
	t, at, typed, beside := c.Text(), web.WebhooksPath+"/"+e.ID.String(), in.Values, in.Errors
	types := ui.Select{Field: ui.Field{Name: "type", Label: t.Webhooks.TestType, Value: typed.Get("type"),
		Error: beside["type"]}, Options: web.Options(event.Names(), nil)}
	f := views.ToolForm{Action: at + "/test", Problems: in.Problems, Dialog: ui.Dialog{Back: at},
		Submit: ui.Button{Label: t.Webhooks.TestSend},
		Hidden: []ui.Pair{{Key: web.OnceField, Value: web.NewOnce()}, {Key: "type", Value: typed.Get("type")}}}
	if typed.Get("type") != pingType {
		f.Parts = []templ.Component{
			ui.Textarea{
				Field: ui.Field{Name: "body", Label: t.Webhooks.Body, Hint: t.Webhooks.BodyHint,
					Value: typed.Get("body"), Error: beside["body"]}, Rows: "12"}.View()}
	}
	head := ui.Head{Title: t.Webhooks.Test, Text: t.Webhooks.TestText,
		Crumbs: append(toolCrumbs(t, t.Webhooks.Title, web.WebhooksPath),
			ui.Crumb{Label: web.EndpointHost(e.URL), Href: at})}
	return web.Render(c, in.Status, views.TestEventPage(c.Page(head.Title), head, at+"/test", types, f))
}

func (p *Pages) sendTest(c *web.Request, e webhook.Endpoint, in web.Input) (done web.Done, err error) {
	test := webhook.TestInput{Type: new(in.Get("type"))}
	if body := strings.TrimSpace(in.Get("body")); body != "" {
		test.Data = new(webhook.Sample)
		if json.Unmarshal([]byte(body), test.Data) != nil {
			return done, fault.Invalid("parameter_invalid", c.Text().Webhooks.BodyWrong).On("data")
		}
	}
	d, err := web.Settled(p.Webhooks.Test(c.Ctx(), c.Actor(), e.ID.String(), test, in.Claim))
	return web.Saved(web.WebhooksPath+"/"+e.ID.String()+"/deliveries/"+d.ID.String(), c.Text().Webhooks.Sent, err)
}

// replayForm sends past events again.
func (p *Pages) replayForm() web.Form[webhook.Endpoint] {
	return web.Form[webhook.Endpoint]{Load: p.endpoint, Fill: p.missedSince, Draw: drawReplay, Once: true,
		Do: func(c *web.Request, e webhook.Endpoint, in web.Input) (done web.Done, err error) {
			replay, err := replayInput(c, in.Values)
			if err != nil {
				return done, err
			}
			r, err := web.Settled(p.Webhooks.StartReplay(c.Ctx(), c.Actor(), e.ID.String(), replay, in.Claim))
			return web.Done{To: web.WebhooksPath + "/" + e.ID.String() + "/replays/" + r.ID.String()}, err
		}}
}

// missedSince asks for the events that were missed, from the first on of which that is known.
func (p *Pages) missedSince(c *web.Request, e webhook.Endpoint) (url.Values, error) {
	failures, err := p.Webhooks.Failures(c.Ctx(), c.Actor(), e.ID)
	if err != nil {
		return nil, err
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
	return url.Values{"since": {since.In(c.Viewer().Zone).Format(time.DateOnly)}, "which": {"failed"}}, nil
}

func drawReplay(c *web.Request, e webhook.Endpoint, in web.Input) error {
	t, at, typed, beside := c.Text(), web.WebhooksPath+"/"+e.ID.String(), in.Values, in.Errors
	f := views.ToolForm{Action: at + "/replay", Sharp: true, Problems: in.Problems,
		Submit: ui.Button{Label: t.Webhooks.ReplayStart}, Hidden: []ui.Pair{{Key: web.OnceField, Value: web.NewOnce()}},
		Dialog: ui.Dialog{Title: t.Webhooks.ReplayEvents, Text: t.Webhooks.ReplayText, Back: at},
		Parts: []templ.Component{
			ui.Radios{Field: ui.Field{Name: "which", Label: t.Webhooks.WhichEvents, Value: typed.Get("which"),
				Error: beside["which"], Required: true}, Options: []ui.Option{
				{Value: "failed", Label: t.Webhooks.Missing, Detail: t.Webhooks.MissingText}, {Value: "all", Label: t.Webhooks.All, Detail: t.Webhooks.AllText}}}.View(),
			ui.DateField(ui.Field{Name: "since", Label: t.Webhooks.From, Hint: t.Webhooks.FromHint,
				Value: typed.Get("since"), Error: beside["since"], Required: true}).View(),
			ui.DateField(ui.Field{Name: "until", Label: t.Webhooks.Until, Hint: t.Webhooks.UntilHint,
				Value: typed.Get("until"), Error: beside["until"], Optional: true}).View(),
		}}
	return web.Render(c, in.Status, views.ToolFormPage(c.Page(t.Webhooks.ReplayEvents), f))
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
		in.Until = new(in.Until.AddDate(0, 0, 1).Add(-time.Millisecond))
	}
	return in, fs.Err()
}

// replayed is a replay with its endpoint.
type replayed struct {
	webhook.Replay
	endpoint webhook.Endpoint
	at       string // the address of its page
}

// replay reads the replay that the address names, of the endpoint that it names.
func (p *Pages) replay(c *web.Request) (out replayed, err error) {
	if out.endpoint, err = p.endpoint(c); err != nil {
		return out, err
	}
	out.Replay, err = p.Webhooks.GetReplay(c.Ctx(), c.Actor(), c.Param("replay"))
	if err == nil && out.EndpointID != out.endpoint.ID {
		err = fault.Missing()
	}
	out.at = web.WebhooksPath + "/" + out.endpoint.ID.String() + "/replays/" + out.ID.String()
	return out, err
}

func (p *Pages) showReplay(c *web.Request, of replayed) error {
	e, r := of.endpoint, of.Replay
	counts, before, err := p.Webhooks.Progress(c.Ctx(), c.Actor(), r)
	if err != nil {
		return err
	}
	view := replayView(c, of, counts, before)
	t, at := c.Text(), web.WebhooksPath+"/"+e.ID.String()
	head := ui.Head{Title: t.Webhooks.ReplayTitle, Text: e.URL,
		Crumbs: append(toolCrumbs(t, t.Webhooks.Title, web.WebhooksPath),
			ui.Crumb{Label: web.EndpointHost(e.URL), Href: at})}
	which := t.Webhooks.All
	if r.Which == "failed" {
		which = t.Webhooks.Missing
	}
	view.Facts = []ui.Fact{{Key: t.Webhooks.WhichEvents, Value: ui.Plain(which)},
		{Key: t.Webhooks.From, Value: ui.Time(r.Since.Time)},
		{Key: t.Webhooks.Until, Value: ui.Time(r.Until.Time)},
		{Key: t.Webhooks.ID, Value: ui.Copied(t.Webhooks.ID, r.ID.String())}}
	return web.Render(c, http.StatusOK, views.ReplayPage(c.Page(head.Title), head, view))
}

// replayView is how far a replay is, by the statuses of its deliveries and of those queued before it.
func replayView(c *web.Request, r replayed, counts, before map[string]int64) views.ReplayState {
	t, zone := c.Text(), c.Viewer().Zone
	view := views.ReplayState{Href: r.at, Status: replayStatus(t, r.Replay), Done: r.Done, Total: r.Total,
		Queued:  counts["succeeded"] + counts["pending"] + counts["failed"] + counts["canceled"],
		Arrived: counts["succeeded"], Waiting: counts["pending"], Lost: counts["failed"] +
			counts["canceled"], Earlier: before["pending"],
		Busy: r.Status == "running" ||
			counts["pending"]+before["pending"] > 0, Over: r.Status != "running", Said: t.Webhooks.Running,
		List: web.WebhooksPath + "/" + r.endpoint.ID.String() + "?at_from=" +
			r.CreatedAt.In(zone).Format(time.DateOnly)}
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
	return view
}

func (p *Pages) cancelReplay(c *web.Request, of replayed, _ url.Values) (web.Done, error) {
	_, err := p.Webhooks.CancelReplay(c.Ctx(), c.Actor(), of.ID.String(), nil)
	return web.Saved(of.at, c.Text().Webhooks.Canceled, err)
}
