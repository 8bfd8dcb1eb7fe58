package portal

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/webhook"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const webhooksPath = developersPath + "/webhooks"

func (p *Portal) webhookRoutes() []route {
	one, read, manage := webhooksPath+"/:id", access(authz.WebhookRead), access(authz.WebhookManage)
	return []route{
		{http.MethodGet, webhooksPath, read, p.showEndpoints},
		{http.MethodGet, webhooksPath + ".csv", access(authz.ExportCreate), p.sendEndpoints},
		{http.MethodGet, webhooksPath + "/new", manage, p.showNewEndpoint},
		{http.MethodPost, webhooksPath + "/new", manage, p.fresh(p.makeEndpoint)},
		{http.MethodGet, one, read, p.showEndpoint},
		{http.MethodGet, one + "/deliveries.csv", access(authz.ExportCreate), p.sendDeliveries},
		{http.MethodGet, one + "/deliveries/:delivery", read, p.showDelivery},
		{http.MethodGet, one + "/edit", manage, p.showEndpointEdit},
		{http.MethodPost, one + "/edit", manage, p.fresh(p.editEndpoint)},
		{http.MethodGet, one + "/rotate", manage, p.showRotate},
		{http.MethodPost, one + "/rotate", manage, p.fresh(p.rotateSecret)},
		{http.MethodGet, one + "/enable", manage, p.showSwitchEndpoint},
		{http.MethodPost, one + "/enable", manage, p.enableEndpoint},
		{http.MethodGet, one + "/disable", manage, p.showSwitchEndpoint},
		{http.MethodPost, one + "/disable", manage, p.disableEndpoint},
		{http.MethodGet, one + "/delete", manage, p.showSwitchEndpoint},
		{http.MethodPost, one + "/delete", manage, p.fresh(p.deleteEndpoint)},
		{http.MethodGet, one + "/test", manage, p.showTest},
		{http.MethodPost, one + "/test", manage, p.sendTest},
		{http.MethodGet, one + "/replay", manage, p.showReplayForm},
		{http.MethodPost, one + "/replay", manage, p.fresh(p.startReplay)},
		{http.MethodGet, one + "/replays/:replay", read, p.showReplay},
		{http.MethodPost, one + "/replays/:replay/cancel", manage, p.cancelReplay},
	}
}

func endpointInput(query url.Values) webhook.ListInput {
	return webhook.ListInput{Page: cursors(query, ids.ParseEndpoint), Statuses: query["status"]}
}

func (p *Portal) showEndpoints(c echo.Context) error {
	query := c.QueryParams()
	if to, untidy := ui.Tidy(webhooksPath, query); untidy {
		return seeOther(c, to)
	}
	t := say(c)
	endpoints, err := p.Webhooks.List(c.Request().Context(), actor(c), endpointInput(query))
	if err != nil {
		return err
	}
	table := ui.Table{Caption: t.Webhooks.Title, Target: ui.ResultsID, Columns: []ui.Column{{Title: t.Webhooks.Endpoint, Place: ui.PlaceLead},
		{Title: t.Webhooks.Status, Place: ui.PlaceState}, {Title: t.Webhooks.Events}, {Title: t.Webhooks.LastSuccess, Right: true, Place: ui.PlaceTime}}}
	for _, e := range endpoints.Items {
		table.Rows = append(table.Rows, ui.Row{Href: webhooksPath + "/" + e.ID.String(), Label: e.URL, Cells: []templ.Component{
			ui.Two(e.URL, deref(e.Description)), endpointStatus(t, e), ui.Plain(wanted(t, e.Events)), when(e.LastSuccessAt, t.Webhooks.Never)}})
	}
	statuses := ui.Filter{Name: "status", Label: t.Webhooks.Status, Kind: ui.FilterMany}
	for _, s := range webhook.Statuses() {
		statuses.Options = append(statuses.Options, ui.Option{Value: s, Label: t.Webhooks.Statuses[s]})
	}
	list := views.List{Head: ui.Head{Title: t.Webhooks.Title, Text: t.Webhooks.Text}, Above: views.ToolTabs(p.developerTabs(c), troubles(t, endpoints.Items)), Table: table,
		Bar:   ui.FilterBar{Path: webhooksPath, Query: query, Target: ui.ResultsID, Filters: []ui.Filter{statuses}, Export: p.exported(c, webhooksPath+".csv")},
		Empty: ui.NothingYet(ui.IconWebhook, t.Webhooks.EmptyTitle, t.Webhooks.EmptyText),
		Pager: pagerOf(webhooksPath, query, endpoints, func(e webhook.Endpoint) string { return e.ID.String() }, t.Webhooks.Shown(len(endpoints.Items)))}
	if p.may(c, authz.WebhookManage) {
		add := ui.Button{Label: t.Webhooks.New, Href: webhooksPath + "/new", Icon: ui.IconPlus}
		list.Buttons, list.Begin = []ui.Button{{Label: t.Developers.Debug, Href: debugPath, Variant: ui.Outline, Icon: ui.IconSearch}, add}, []ui.Button{add}
	}
	return render(c, http.StatusOK, views.ListPage(p.page(c, t.Webhooks.Title), list))
}

// troubles leads to the endpoints that do not take events; nil if all do.
func troubles(t *text.Catalogue, endpoints []webhook.Endpoint) templ.Component {
	var acts []templ.Component
	for _, e := range endpoints {
		if troubled(e) {
			acts = append(acts, ui.Button{Label: t.Webhooks.Look + ": " + endpointHost(e.URL), Href: webhooksPath + "/" + e.ID.String(), Variant: ui.Outline, Size: "sm"}.View())
		}
	}
	if len(acts) == 0 {
		return nil
	}
	return views.BannerWith(ui.Banner{Tone: ui.Danger, Title: t.Webhooks.ManyFailing}, acts...)
}

// troubled tells whether an endpoint does not take events, or was paused for that.
func troubled(e webhook.Endpoint) bool {
	return e.Status == webhook.Paused || e.Status == webhook.Enabled && e.FailingSince != nil
}

// endpointHost is the host that an address names; all of it if that cannot be told.
func endpointHost(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
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

func (p *Portal) sendEndpoints(c echo.Context) error {
	in := endpointInput(c.QueryParams())
	head := []string{"id", "url", "description", "status", "events", "failing_since", "last_success_at", "created_at"}
	return sheet(c, "webhook-endpoints", head, func(write func(...string) error) error {
		return everyPage(in.Page, func(of page.Input[ids.Endpoint]) (page.Of[webhook.Endpoint], error) {
			in.Page = of
			return p.Webhooks.List(c.Request().Context(), actor(c), in)
		}, func(e webhook.Endpoint) ids.Endpoint { return e.ID }, func(e webhook.Endpoint) error {
			return write(e.ID.String(), e.URL, deref(e.Description), string(e.Status), strings.Join(e.Events, " "), stampAt(e.FailingSince), stampAt(e.LastSuccessAt), stamp(e.CreatedAt.Time))
		})
	})
}
