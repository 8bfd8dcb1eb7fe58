package developers

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/page"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// endpoint reads the endpoint that the address names.
func (p *Pages) endpoint(c *web.Request) (webhook.Endpoint, error) {
	return p.Webhooks.Get(c.Ctx(), c.Actor(), c.ID())
}

// endpointPage is the address of an endpoint's page, with an end what is below it.
func endpointPage(e webhook.Endpoint, end string) string {
	return web.WebhooksPath + "/" + e.ID.String() + end
}

// deliveryList is the list of what was sent to an endpoint, on the endpoint's page.
func (p *Pages) deliveryList(at string) web.List[webhook.Delivery, ids.Delivery] {
	return web.List[webhook.Delivery, ids.Delivery]{Path: at, Read: ids.ParseDelivery,
		Key: func(d webhook.Delivery) ids.Delivery { return d.ID },
		Find: func(c *web.Request, of page.Input[ids.Delivery]) (page.Of[webhook.Delivery], error) {
			query := c.QueryParams()
			return p.Webhooks.Deliveries(c.Ctx(), c.Actor(), c.ID(),
				webhook.DeliveryInput{Page: of, Created: web.Days(c, query, "at"),
					Statuses: query["status"], Types: query["type"]})
		},
		Draw:  p.drawEndpoint,
		Shown: func(t *text.Catalogue, n int) string { return t.Webhooks.DeliveriesShown(n) },
		File:  "deliveries", Line: deliveryRow,
		Head: []string{"id", "event_id", "event_type", "cause", "status", "attempts", "answer", "created_at",
			"finished_at"}}
}

func deliveryRow(c *web.Request, d webhook.Delivery) []string {
	return []string{d.ID.String(), d.EventID.String(), d.EventType, string(d.Cause), d.Status,
		strconv.Itoa(len(d.Attempts)), answerOf(c.Text(), d),
		web.Stamp(d.CreatedAt.Time), web.StampAt(d.FinishedAt)}
}

func (p *Pages) showEndpoint(c *web.Request) error {
	return p.deliveryList(web.WebhooksPath + "/" + c.ID()).Show(c)
}

func (p *Pages) sendDeliveries(c *web.Request) error { return p.deliveryList("").Send(c) }

func (p *Pages) drawEndpoint(c *web.Request, deliveries page.Of[webhook.Delivery]) (list views.List, err error) {
	e, err := p.endpoint(c)
	if err != nil {
		return list, err
	}
	failures, err := p.Webhooks.Failures(c.Ctx(), c.Actor(), e.ID)
	if err != nil {
		return list, err
	}
	replays, err := p.Webhooks.Replays(c.Ctx(), c.Actor(), e.ID, 3)
	if err != nil {
		return list, err
	}
	t, at := c.Text(), endpointPage(e, "")
	list = views.List{Title: e.URL, Table: deliveryTable(t, at, deliveries.Items), Bar: p.deliveryBar(c, at),
		Head: ui.Head{Title: web.EndpointHost(e.URL), Text: web.Deref(e.Description), Aside: endpointStatus(t, e),
			Crumbs: toolCrumbs(t, t.Webhooks.Title, web.WebhooksPath)},
		Empty: ui.NothingYet(ui.IconWebhook, t.Webhooks.DeliveriesNone, t.Webhooks.DeliveriesNoneText),
		Above: views.EndpointTop(developerTabs(c), endpointBanner(c, e, failures), causes(t, at, failures),
			endpointFacts(c, e), replayTasks(c, at, replays))}
	if c.May(authz.WebhookManage) {
		list.Buttons = endpointButtons(t, e, at)
	}
	return list, nil
}

// endpointButtons are the acts that matter most for how an endpoint does.
func endpointButtons(t *text.Catalogue, e webhook.Endpoint, at string) []ui.Button {
	if e.Status != webhook.Enabled {
		return []ui.Button{{Label: t.Webhooks.Enable, Href: at + "/enable", Dialog: true, Icon: ui.IconTick}}
	}
	return []ui.Button{
		{Label: t.Webhooks.Replay, Href: at + "/replay", Dialog: true, Variant: ui.Outline, Icon: ui.IconReload},
		{Label: t.Webhooks.Test, Href: at + "/test", Icon: ui.IconSend}}
}

// endpointBanner says that events do not arrive, and what to do about it; nil if they do.
func endpointBanner(c *web.Request, e webhook.Endpoint, failures []webhook.Failure) templ.Component {
	t, at := c.Text(), web.WebhooksPath+"/"+e.ID.String()
	manages := c.May(authz.WebhookManage)
	var acts []templ.Component
	if !troubled(e) {
		if len(failures) == 0 || e.Status != webhook.Enabled {
			return nil
		}
		if manages {
			acts = append(acts, ui.Button{Label: t.Webhooks.Replay, Href: at + "/replay", Dialog: true, Size: "sm",
				Variant: ui.Outline}.View())
		}
		return views.BannerWith(ui.Banner{Tone: ui.Warning, Title: t.Webhooks.MissedTitle(missed(failures)),
			Text: t.Webhooks.MissedText}, acts...)
	}
	b := ui.Banner{Tone: ui.Danger, Title: t.Webhooks.FailingTitle, Text: t.Webhooks.PausedText}
	switch {
	case e.Status == webhook.Paused && web.Deref(e.PausedReason) == "gone":
		b.Title = t.Webhooks.GoneTitle
	case e.Status == webhook.Paused:
		b.Title = t.Webhooks.PausedTitle
	default:
		b.Text = t.Webhooks.FailingText(c.Viewer().Time(e.FailingSince.Time))
	}
	if manages && e.Status == webhook.Paused {
		acts = append(acts, ui.Button{Label: t.Webhooks.Enable, Href: at + "/enable", Dialog: true, Size: "sm",
			Variant: ui.Outline}.View())
	} else if manages {
		acts = append(acts,
			ui.Button{Label: t.Webhooks.Test, Href: at + "/test", Size: "sm", Variant: ui.Outline}.View(),
			ui.Button{Label: t.Webhooks.Replay, Href: at + "/replay", Dialog: true, Size: "sm",
				Variant: ui.Outline}.View())
	}
	return views.BannerWith(b, acts...)
}

// missed counts the events that did not arrive.
func missed(failures []webhook.Failure) (n int64) {
	for _, f := range failures {
		n += f.Deliveries
	}
	return n
}

// causes groups what did not arrive by why; nil if everything did.
func causes(t *text.Catalogue, at string, failures []webhook.Failure) templ.Component {
	if len(failures) == 0 {
		return nil
	}
	table := ui.Table{Caption: t.Webhooks.CausesTitle,
		Columns: []ui.Column{{Title: t.Webhooks.CauseWhy, Place: ui.PlaceLead},
			{Title: t.Webhooks.Events, Place: ui.PlaceAmount},
			{Title: t.Webhooks.CauseHow, Broad: true},
			{Title: t.Webhooks.CauseSample, Right: true, Place: ui.PlaceTime, Named: true}}}
	for _, f := range failures {
		code, reason := web.Deref(f.StatusCode), web.Deref(f.Error)
		table.Rows = append(table.Rows,
			ui.Row{Href: at + "/deliveries/" + f.Latest.String(), Label: causeOf(t, code, reason),
				Cells: []templ.Component{
					ui.Two(causeOf(t, code, reason), t.Webhooks.DeliveryStatuses[f.Status]),
					ui.Two(t.Webhooks.Missed(f.Deliveries), strings.Join(f.Types[:min(2, len(f.Types))], ", ")),
					views.Paragraph(t.Webhooks.Advice(code, reason)), ui.Time(f.Last.Time)}})
	}
	return views.Carded(ui.Card{Title: t.Webhooks.CausesTitle, Text: t.Webhooks.CausesText, Flush: true}, table.View())
}

// causeOf names the outcome of an attempt: a code, or why there was no answer.
func causeOf(t *text.Catalogue, code int, reason string) string {
	switch {
	case code != 0:
		return t.Webhooks.Answered(code)
	case reason == "":
		return t.Webhooks.NotSent
	}
	return cmp.Or(t.Webhooks.Errors[reason], reason)
}

// endpointFacts are the facts about an endpoint, with what else can be done with it.
func endpointFacts(c *web.Request, e webhook.Endpoint) templ.Component {
	t, at := c.Text(), web.WebhooksPath+"/"+e.ID.String()
	facts := web.Facts{{Key: t.Webhooks.URL, Value: ui.Copied(t.Webhooks.URL, e.URL)},
		{Key: t.Webhooks.Events, Value: views.Codes(e.Events)},
		{Key: t.Webhooks.LastSuccess, Value: when(e.LastSuccessAt, t.Webhooks.Never)},
		{Key: t.Webhooks.ID, Value: ui.Copied(t.Webhooks.ID, e.ID.String())}}
	facts.Time(t.Webhooks.Previous, e.PreviousUntil)
	card := ui.Card{Title: t.Webhooks.Details}
	if !c.May(authz.WebhookManage) {
		return views.Carded(card, ui.Facts(facts))
	}
	acts := []templ.Component{
		ui.Button{Label: t.Webhooks.Edit, Href: at + "/edit", Variant: ui.Outline, Size: "sm",
			Icon: ui.IconEdit}.View(),
		ui.Button{Label: t.Webhooks.Rotate, Href: at + "/rotate", Variant: ui.Outline, Size: "sm", Icon: ui.IconKey,
			Dialog: true}.View(),
	}
	if e.Status == webhook.Enabled {
		acts = append(acts, ui.Button{Label: t.Webhooks.Disable, Href: at + "/disable", Variant: ui.Outline, Size: "sm",
			Icon: ui.IconVoid, Dialog: true}.View())
	}
	acts = append(acts, ui.Button{Label: t.Webhooks.Delete, Href: at + "/delete", Variant: ui.Outline, Size: "sm",
		Icon: ui.IconRemove, Dialog: true}.View())
	return views.Carded(card, views.Stacked(ui.Facts(facts), views.Row(acts...)))
}

// replayTasks leads to the latest replays; nil if there was none.
func replayTasks(c *web.Request, at string, replays []webhook.Replay) templ.Component {
	if len(replays) == 0 {
		return nil
	}
	t, v := c.Text(), c.Viewer()
	var tasks []ui.Task
	for _, r := range replays {
		task := ui.Task{Icon: ui.IconReload, Text: t.Webhooks.Replay + ", " + v.Time(r.CreatedAt.Time),
			Href: at + "/replays/" + r.ID.String(),
			Note: map[bool]string{true: t.Webhooks.Missing, false: t.Webhooks.All}[r.Which == "failed"],
			Due:  replayStatus(t, r)}
		tasks = append(tasks, task)
	}
	return views.Carded(ui.Card{Title: t.Webhooks.Replays, Text: t.Webhooks.ReplaysText, Flush: true}, ui.Tasks(tasks))
}

// replayStatus is how far a replay is on its own: that what it queued has arrived too, only its deliveries tell.
func replayStatus(t *text.Catalogue, r webhook.Replay) string {
	return map[string]string{"running": t.Webhooks.Running, "done": t.Webhooks.Sending,
		"canceled": t.Webhooks.Stopped}[r.Status]
}

func deliveryTable(t *text.Catalogue, at string, deliveries []webhook.Delivery) ui.Table {
	out := ui.Table{Caption: t.Webhooks.Deliveries, Target: ui.ResultsID,
		Columns: []ui.Column{{Title: t.Webhooks.Event, Place: ui.PlaceLead},
			{Title: t.Webhooks.Status, Place: ui.PlaceState},
			{Title: t.Webhooks.Answer}, {Title: t.Webhooks.Attempts, Right: true}, {Title: t.Webhooks.Cause},
			{Title: t.Webhooks.When, Right: true, Place: ui.PlaceTime}}}
	for _, d := range deliveries {
		out.Rows = append(out.Rows,
			ui.Row{Href: at + "/deliveries/" + d.ID.String(), Label: d.EventType, Cells: []templ.Component{
				ui.Two(d.EventType, d.EventID.String()), deliveryStatus(t, d), ui.Plain(answerOf(t, d)),
				ui.Number(int64(len(d.Attempts))), ui.Plain(t.Webhooks.Causes[string(d.Cause)]),
				ui.Time(d.CreatedAt.Time)}})
	}
	return out
}

// answerOf is the outcome of the last attempt, "" of none.
func answerOf(t *text.Catalogue, d webhook.Delivery) string {
	switch {
	case d.LastStatusCode != nil:
		return strconv.Itoa(*d.LastStatusCode)
	case d.LastError != nil:
		return causeOf(t, 0, *d.LastError)
	}
	return "–"
}

func deliveryStatus(t *text.Catalogue, d webhook.Delivery) templ.Component {
	tone := map[string]ui.Tone{"pending": ui.Info, "succeeded": ui.Success, "failed": ui.Danger}[d.Status]
	if d.Status == "pending" && len(d.Attempts) > 0 {
		tone = ui.Warning
	}
	return ui.Status(cmp.Or(tone, ui.Neutral), t.Webhooks.DeliveryStatuses[d.Status])
}

func (p *Pages) deliveryBar(c *web.Request, at string) ui.FilterBar {
	t := c.Text()
	return ui.FilterBar{Export: web.Exported(c, at+"/deliveries.csv"), Filters: []ui.Filter{
		{Name: "status", Label: t.Webhooks.Status, Kind: ui.FilterMany,
			Options: web.Options(webhook.DeliveryStatuses(), t.Webhooks.DeliveryStatuses)},
		typeFilter(t),
		{Name: "at", Label: t.Webhooks.When, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.MachineDay(c))}}}
}

// typeFilter selects by the types of events.
func typeFilter(t *text.Catalogue) ui.Filter {
	return ui.Filter{Name: "type", Label: t.Webhooks.Event, Kind: ui.FilterMany,
		Options: web.Options(event.Names(), nil)}
}

// oldest is the first moment among some.
func oldest(all ...*instant.Time) *instant.Time {
	var out *instant.Time
	for _, at := range slices.DeleteFunc(all, func(at *instant.Time) bool { return at == nil }) {
		if out == nil || at.Before(out.Time) {
			out = at
		}
	}
	return out
}
