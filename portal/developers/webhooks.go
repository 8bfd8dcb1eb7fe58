package developers

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

func (p *Pages) webhookRoutes() []web.Route {
	one, read, manage := web.WebhooksPath+"/:id", authz.WebhookRead, authz.WebhookManage
	return slices.Concat([]web.Route{
		web.Get(web.WebhooksPath, read, p.endpointList().Show).Grows(),
		web.Get(web.WebhooksPath+".csv", authz.ExportCreate, p.endpointList().Send).Grows(),
		web.Get(one, read, p.showEndpoint).Grows(),
		web.Get(one+"/deliveries.csv", authz.ExportCreate, p.sendDeliveries).Grows(),
		web.Get(one+"/deliveries/:delivery", read, web.Show(p.endpoint, p.showDelivery)),
		web.Get(one+"/enable", manage, web.Show(p.endpoint, showSwitchEndpoint)),
		web.Post(one+"/enable", manage, web.Act(p.enableEndpoint)),
		web.Get(one+"/disable", manage, web.Show(p.endpoint, showSwitchEndpoint)),
		web.Post(one+"/disable", manage, web.Act(p.disableEndpoint)),
		web.Get(one+"/delete", manage, web.Show(p.endpoint, showSwitchEndpoint)),
		web.Post(one+"/delete", manage, p.Fresh(web.Act(p.deleteEndpoint))),
		web.Get(one+"/replays/:replay", read, web.Show(p.replay, p.showReplay)),
		web.Post(one+"/replays/:replay/cancel", manage, web.ActOn(p.replay, p.cancelReplay)),
	}, p.FreshForm(p.endpointForm(false).Routes(web.WebhooksPath+"/new", authz.WebhookManage)),
		p.FreshForm(p.endpointForm(true).Routes(one+"/edit", authz.WebhookManage)),
		p.FreshForm(p.rotateForm().Routes(one+"/rotate", authz.WebhookManage)),
		p.testForm().Routes(one+"/test", authz.WebhookManage),
		p.FreshForm(p.replayForm().Routes(one+"/replay", authz.WebhookManage)))
}

func (p *Pages) endpointList() web.List[webhook.Endpoint, ids.Endpoint] {
	return web.List[webhook.Endpoint, ids.Endpoint]{Path: web.WebhooksPath, Read: ids.ParseEndpoint,
		Key: func(e webhook.Endpoint) ids.Endpoint { return e.ID },
		Find: func(c *web.Request, at page.Input[ids.Endpoint]) (page.Of[webhook.Endpoint], error) {
			return p.Webhooks.List(c.Ctx(), c.Actor(), webhook.ListInput{Page: at, Statuses: c.QueryParams()["status"]})
		},
		Draw:  drawEndpoints,
		Shown: func(t *text.Catalogue, n int) string { return t.Webhooks.Shown(n) },
		File:  "webhook-endpoints", Line: endpointRow,
		Head: []string{"id", "url", "description", "status", "events", "failing_since", "last_success_at",
			"created_at"}}
}

func endpointRow(_ *web.Request, e webhook.Endpoint) []string {
	return []string{e.ID.String(), e.URL, web.Deref(e.Description), string(e.Status), strings.Join(e.Events, " "),
		web.StampAt(e.FailingSince),
		web.StampAt(e.LastSuccessAt), web.Stamp(e.CreatedAt.Time)}
}

func drawEndpoints(c *web.Request, endpoints page.Of[webhook.Endpoint]) (views.List, error) {
	t := c.Text()
	table := ui.Table{Caption: t.Webhooks.Title, Target: ui.ResultsID,
		Columns: []ui.Column{{Title: t.Webhooks.Endpoint, Place: ui.PlaceLead},
			{Title: t.Webhooks.Status, Place: ui.PlaceState}, {Title: t.Webhooks.Events},
			{Title: t.Webhooks.LastSuccess, Right: true, Place: ui.PlaceTime, Named: true}}}
	for _, e := range endpoints.Items {
		table.Rows = append(table.Rows,
			ui.Row{Href: web.WebhooksPath + "/" + e.ID.String(), Label: e.URL, Cells: []templ.Component{
				ui.Two(e.URL, web.Deref(e.Description)), endpointStatus(t, e), ui.Plain(wanted(t, e.Events)),
				when(e.LastSuccessAt, t.Webhooks.Never)}})
	}
	statuses := ui.Filter{Name: "status", Label: t.Webhooks.Status, Kind: ui.FilterMany,
		Options: web.Options(webhook.Statuses(), t.Webhooks.Statuses)}
	list := views.List{Head: ui.Head{Title: t.Webhooks.Title, Text: t.Webhooks.Text}, Table: table,
		Bar:   ui.FilterBar{Filters: []ui.Filter{statuses}},
		Above: views.ToolTabs(developerTabs(c), troubles(t, endpoints.Items)), Empty: ui.NothingYet(ui.IconWebhook,
			t.Webhooks.EmptyTitle, t.Webhooks.EmptyText)}
	if c.May(authz.WebhookManage) {
		add := ui.Button{Label: t.Webhooks.New, Href: web.WebhooksPath + "/new", Icon: ui.IconPlus}
		list.Buttons, list.Begin = []ui.Button{
			{Label: t.Developers.Debug, Href: web.DebugPath, Variant: ui.Outline, Icon: ui.IconSearch},
			add}, []ui.Button{add}
	}
	return list, nil
}

// troubles leads to the endpoints that do not take events; nil if all do.
func troubles(t *text.Catalogue, endpoints []webhook.Endpoint) templ.Component {
	var acts []templ.Component
	for _, e := range endpoints {
		if troubled(e) {
			acts = append(acts,
				ui.Button{Label: t.Webhooks.Look + ": " + web.EndpointHost(e.URL),
					Href: web.WebhooksPath + "/" + e.ID.String(), Variant: ui.Outline, Size: "sm"}.View())
		}
	}
	if len(acts) == 0 {
		return nil
	}
	return views.BannerWith(ui.Banner{Tone: ui.Danger, Title: t.Webhooks.ManyFailing}, acts...)
}

// troubled reports whether an endpoint does not take events, or was paused for that.
func troubled(e webhook.Endpoint) bool {
	return e.Status == webhook.Paused || e.Status == webhook.Enabled && e.FailingSince != nil
}

func endpointStatus(t *text.Catalogue, e webhook.Endpoint) templ.Component {
	switch {
	case e.Status == webhook.Paused:
		return ui.Status(ui.Danger, t.Webhooks.Statuses[string(e.Status)])
	case e.Status == webhook.Disabled:
		return ui.Status(ui.Neutral, t.Webhooks.Statuses[string(e.Status)])
	case e.FailingSince != nil:
		return ui.Status(ui.Warning, t.Webhooks.Failing)
	}
	return ui.Status(ui.Success, t.Webhooks.Statuses[string(e.Status)])
}

// wanted says in few words which events an endpoint gets.
func wanted(t *text.Catalogue, filters []string) string {
	switch {
	case len(filters) == 1 && filters[0] == "*":
		return t.Webhooks.AllEvents
	case len(filters) > 2:
		return strings.Join(filters[:2], ", ") + ", " + t.Webhooks.Others(len(filters)-2)
	}
	return strings.Join(filters, ", ")
}
