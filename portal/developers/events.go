package developers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

func (p *Pages) eventRoutes() []web.Route {
	return []web.Route{
		web.Get(web.EventsPath, authz.EventRead, p.eventList().Show).Grows(),
		web.Get(web.EventsPath+".csv", authz.ExportCreate, p.eventList().Send).Grows(),
		web.Get(web.EventsPath+"/:id", authz.EventRead, p.showEvent),
		web.Post(web.EventsPath+"/:id/resend", authz.EventRedeliver, web.Act(p.resendEvent)),
	}
}

// eventInput reads what the address selects. An id is that of an object; others find nothing.
func eventInput(c *web.Request) (event.ListInput, error) {
	query := c.QueryParams()
	in := event.ListInput{Created: web.Days(c, query, "at"), Types: query["type"]}
	if words := strings.TrimSpace(query.Get("merchant")); words != "" {
		id, err := web.Number(words)
		if err != nil {
			return in, err
		}
		in.Merchants = []int64{id}
	}
	if words := strings.TrimSpace(query.Get("q")); words != "" {
		id, err := event.ObjectID(words)
		if err != nil {
			return in, fault.Missing()
		}
		in.ObjectID = &id
	}
	return in, nil
}

func (p *Pages) eventList() web.List[event.Event, int64] {
	return web.List[event.Event, int64]{Path: web.EventsPath, Read: web.Number, Opens: web.ByID(ids.ParseEvent),
		Key: event.Event.Number,
		Find: func(c *web.Request, at page.Input[int64]) (out page.Of[event.Event], err error) {
			in, err := eventInput(c)
			if err != nil && c.Path() == web.EventsPath { // there is no such object
				return out, nil
			}
			if err != nil {
				return out, err
			}
			in.Page = at
			return p.Events.List(c.Ctx(), c.Actor(), in)
		},
		Draw:  p.drawEvents,
		Shown: func(t *text.Catalogue, n int) string { return t.Events.Shown(n) },
		File:  "events", Line: eventRow, Head: []string{"sequence", "id", "type", "object_id", "merchant_id", "source",
			"request_id", "timestamp"}}
}

func eventRow(_ *web.Request, e event.Event) []string {
	return []string{e.Cursor(), e.ID.String(), e.Type, aboutOf(e), web.Numeral(e.MerchantID), e.Request.Source,
		web.Named(e.Request.ID), web.Stamp(e.Timestamp.Time)}
}

func (p *Pages) drawEvents(c *web.Request, events page.Of[event.Event]) (views.List, error) {
	t := c.Text()
	table := ui.Table{Caption: t.Events.Title, Target: ui.ResultsID,
		Columns: []ui.Column{{Title: t.Events.Event, Place: ui.PlaceLead}, {Title: t.Events.About},
			{Title: t.Events.Source, Place: ui.PlaceState}, {Title: t.Events.Sequence, Right: true},
			{Title: t.Events.When, Right: true, Place: ui.PlaceTime}}}
	for _, e := range events.Items {
		table.Rows = append(table.Rows, ui.Row{Href: web.EventsPath + "/" + e.ID.String(), Label: e.Type,
			Cells: []templ.Component{ui.Two(e.Type, meaningOf(e.Type)),
				ui.Short(aboutOf(e)), ui.Plain(t.Events.Sources[e.Request.Source]), ui.Number(e.Number()),
				ui.Time(e.Timestamp.Time)}})
	}
	bar := ui.FilterBar{Search: ui.Filter{Name: "q", Label: t.Events.Search, Kind: ui.FilterWords},
		Filters: []ui.Filter{typeFilter(t),
			{Name: "merchant", Label: t.Events.Merchant, Kind: ui.FilterWords},
			{Name: "at", Label: t.Events.When, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.Today(c))}}}
	return views.List{Head: ui.Head{Title: t.Events.Title, Text: t.Events.Text},
		Above: views.ToolTabs(developerTabs(c)), Bar: bar, Table: table,
		Empty: ui.NothingYet(ui.IconSend, t.Events.EmptyTitle, t.Events.EmptyText)}, nil
}

// meaningOf says for people when events of a type happen.
func meaningOf(name string) string {
	all := event.Types()
	i := slices.IndexFunc(all, func(t event.Type) bool { return t.Name == name })
	if i < 0 {
		return ""
	}
	return all[i].Meaning
}

// aboutOf is the id of the object that an event reports.
func aboutOf(e event.Event) string {
	var object struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(e.Data.Object, &object) != nil {
		return ""
	}
	return strings.Trim(string(object.ID), `"`)
}

func (p *Pages) showEvent(c *web.Request) error {
	ctx, a, t := c.Ctx(), c.Actor(), c.Text()
	e, err := p.Events.Get(ctx, a, c.Param("id"))
	if err != nil {
		return err
	}
	deliveries, err := p.Webhooks.DeliveriesOf(ctx, a, e.ID)
	if err != nil {
		return err
	}
	view := views.Tool{Tabs: developerTabs(c), Head: ui.Head{Title: e.Type, Text: meaningOf(e.Type),
		Crumbs: toolCrumbs(t, t.Events.Title, web.EventsPath)},
		Main: []views.ToolPanel{
			{Card: ui.Card{Title: t.Events.Object, Text: t.Developers.JSONText}, Body: ui.CodeBlock(t.Events.Object, web.Indented(e))}},
		Side: []views.ToolPanel{{Card: ui.Card{Title: t.Events.Details}, Body: ui.Facts(p.eventFacts(c, e))},
			deliveriesPanel(t, deliveries)}}
	if changes := changesOf(e); len(changes) > 0 {
		view.Main = append([]views.ToolPanel{
			{Card: ui.Card{Title: t.Events.Changed, Text: t.Events.ChangedText}, Body: ui.Diff(changes)}}, view.Main...)
	}
	if e.Sequence != nil && c.May(authz.EventRedeliver) {
		view.Acts = []templ.Component{views.Post(web.EventsPath+"/"+e.ID.String()+"/resend",
			ui.Button{Label: t.Events.Resend, Icon: ui.IconReload, Variant: ui.Outline},
			ui.Pair{Key: web.OnceField, Value: web.NewOnce()})}
	}
	return web.Render(c, http.StatusOK, views.ToolPage(c.Page(e.Type), view))
}

func (p *Pages) eventFacts(c *web.Request, e event.Event) []ui.Fact {
	t, sequence := c.Text(), ui.Plain(c.Text().Events.Test)
	if e.Sequence != nil {
		sequence = ui.Number(*e.Sequence)
	}
	out := web.Facts{{Key: t.Events.ID, Value: ui.Copied(t.Events.ID, e.ID.String())},
		{Key: t.Events.When, Value: ui.Time(e.Timestamp.Time)}, {Key: t.Events.Sequence, Value: sequence}}
	out.Code(t.Events.About, aboutOf(e), p.pageOfObject(c, aboutOf(e)))
	out.Text(t.Events.Source, t.Events.Sources[e.Request.Source])
	out.Merchant(t.Events.Merchant, e.MerchantID)
	if e.Request.ID != nil && e.Request.Source == "api" {
		out.Code(t.Developers.Request, e.Request.ID.String(), web.LogsPath+"/"+e.Request.ID.String())
	}
	return out
}

// pageOfObject is the address of the page about an object, "" where there is none to open.
func (p *Pages) pageOfObject(c *web.Request, id string) string {
	prefix, _, _ := strings.Cut(id, "_")
	of := map[string]string{"ch": web.ChargesPath, "re": web.RefundsPath, "dp": web.DisputesPath, "po": web.PayoutsPath,
		"whe": web.WebhooksPath}[prefix]
	if of == "" || !c.Reachable()[of+"/:id"] {
		return ""
	}
	return of + "/" + id
}

// changesOf are the members that changed, before and after.
func changesOf(e event.Event) (out []ui.Edit) {
	var before, after map[string]json.RawMessage
	if json.Unmarshal(e.Data.PreviousAttributes, &before) != nil || json.Unmarshal(e.Data.Object, &after) != nil {
		return nil // it was written by us, or is a test
	}
	for name, was := range before {
		out = append(out, ui.Edit{Field: name, Old: web.Said(was), New: web.Said(after[name])})
	}
	slices.SortFunc(out, func(a, b ui.Edit) int { return strings.Compare(a.Field, b.Field) })
	return out
}

// deliveriesPanel leads to what was sent of an event.
func deliveriesPanel(t *text.Catalogue, deliveries []webhook.Delivery) views.ToolPanel {
	card := ui.Card{Title: t.Events.Deliveries, Text: t.Events.DeliveriesText}
	if len(deliveries) == 0 {
		return views.ToolPanel{Card: card, Body: views.Paragraph(t.Events.NoDeliveries)}
	}
	card.Flush = true
	icons := map[string]ui.Tone{"succeeded": ui.Success, "failed": ui.Danger, "pending": ui.Info,
		"canceled": ui.Neutral}
	var tasks []ui.Task
	for _, d := range deliveries {
		name := d.EndpointID.String()
		if n := len(d.Attempts); n > 0 {
			name = web.EndpointHost(d.Attempts[n-1].URL)
		}
		tasks = append(tasks,
			ui.Task{Tone: icons[d.Status], Text: name, Note: t.Webhooks.DeliveryStatuses[d.Status] + ", " +
				answerOf(t, d), Href: web.WebhooksPath + "/" + d.EndpointID.String() + "/deliveries/" + d.ID.String()})
	}
	return views.ToolPanel{Card: card, Body: ui.Tasks(tasks)}
}

func (p *Pages) resendEvent(c *web.Request, form url.Values) (done web.Done, err error) {
	claim, err := web.Once(c, form)
	if err != nil {
		return done, err
	}
	to, back := web.TextOrNil(form.Get("endpoint_id")), web.EventsPath+"/"+c.ID()
	if to != nil {
		back = web.WebhooksPath + "/" + *to
	}
	out, err := web.Settled(p.Webhooks.Redeliver(c.Ctx(), c.Actor(), c.ID(),
		webhook.RedeliverInput{EndpointID: to}, claim))
	done, err = web.Saved(back, c.Text().Events.ResentTo(len(out.Endpoints)), err)
	if len(out.Endpoints) == 0 {
		done.Toast = ui.Toast{Tone: ui.Warning, Text: c.Text().Events.ResentNone}
	}
	return done, err
}
