package developers

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

func (p *Pages) showDelivery(c *web.Request, e webhook.Endpoint) error {
	d, err := p.Webhooks.Delivery(c.Ctx(), c.Actor(), e.ID.String(), c.Param("delivery"))
	if err != nil {
		return err
	}
	busy := d.Status == "pending" && len(d.Attempts) == 0
	if busy && c.Request().Header.Get(web.PollHeader) != "" {
		return c.NoContent(http.StatusNoContent) // nothing has become of it yet
	}
	told, err := p.Events.Get(c.Ctx(), c.Actor(), d.EventID.String())
	if err != nil {
		return err
	}
	view := deliveryView(c, e, d)
	if view.Busy = busy; withheld(c) {
		view.Main = append(view.Main, withheldPanel(c))
	} else {
		title := c.Text().Webhooks.RequestBody
		view.Main = append(view.Main,
			views.ToolPanel{Card: ui.Card{Title: title}, Body: ui.CodeBlock(title, web.Indented(told))})
	}
	view.Acts = deliveryActs(c, e, d, told)
	return web.Render(c, http.StatusOK, views.DeliveryPage(c.Page(d.EventType), view))
}

// deliveryView is a delivery with its attempts, the latest first.
func deliveryView(c *web.Request, e webhook.Endpoint, d webhook.Delivery) views.DeliveryState {
	t, at := c.Text(), web.WebhooksPath+"/"+e.ID.String()
	view := views.DeliveryState{Head: ui.Head{Title: d.EventType, Text: e.URL, Aside: deliveryStatus(t, d),
		Crumbs: append(toolCrumbs(t, t.Webhooks.Title, web.WebhooksPath),
			ui.Crumb{Label: web.EndpointHost(e.URL), Href: at})},
		Href: at + "/deliveries/" + d.ID.String(), Side: deliveryFacts(c, d)}
	for _, a := range slices.Backward(d.Attempts) {
		view.Main = append(view.Main, attemptPanel(c, a))
	}
	if n := len(d.Attempts); n > 0 {
		_, view.Said = attemptSays(t, d.Attempts[n-1])
	} else {
		view.Main = append(view.Main,
			views.ToolPanel{Card: ui.Card{Title: t.Webhooks.Attempts}, Body: views.Paragraph(t.Webhooks.NoAttempt)})
	}
	return view
}

// deliveryActs are what can be done about a delivery. A test is not sent again: it is no event.
func deliveryActs(c *web.Request, e webhook.Endpoint, d webhook.Delivery, told event.Event) (out []templ.Component) {
	t := c.Text().Webhooks
	if len(d.Attempts) > 0 && !withheld(c) {
		out = append(out,
			ui.Button{ID: "debug", Label: t.Debug, Href: web.DebugPath + "?endpoint=" + e.ID.String() + "&delivery=" +
				d.ID.String(), Variant: ui.Outline, Icon: ui.IconSearch}.View())
	}
	if told.Sequence == nil || !c.May(authz.EventRedeliver) {
		return out
	}
	again := ui.Button{ID: "resend", Label: t.Resend, Icon: ui.IconReload}
	if e.Status != webhook.Enabled {
		again.Disabled, again.Reason = true, t.OnlyEnabled
	}
	return append(out, views.Post(web.EventsPath+"/"+d.EventID.String()+"/resend", again,
		ui.Pair{Key: "endpoint_id", Value: e.ID.String()}, ui.Pair{Key: web.OnceField, Value: web.NewOnce()}))
}

func deliveryFacts(c *web.Request, d webhook.Delivery) []views.ToolPanel {
	t, page := c.Text().Webhooks, ""
	if d.EventSequence != nil {
		page = web.EventsPath + "/" + d.EventID.String()
	}
	var facts web.Facts
	facts.Code(t.Event, d.EventID.String(), page)
	facts.Add(t.Cause, ui.Plain(t.Causes[string(d.Cause)]))
	facts.Time(t.When, &d.CreatedAt)
	facts.Time(t.NextAttempt, d.NextAttemptAt)
	facts.Copied(t.ID, d.ID.String())
	return []views.ToolPanel{{Card: ui.Card{Title: t.Details}, Body: ui.Facts(facts)}}
}

// attemptSays is the outcome of an attempt: a status code, 0 for no answer, and the same in words.
func attemptSays(t *text.Catalogue, a webhook.Attempt) (code int, words string) {
	code = web.Deref(a.StatusCode)
	return code, causeOf(t, code, cmp.Or(web.Deref(a.Error), "unreachable"))
}

// attemptPanel shows what was sent and said once.
func attemptPanel(c *web.Request, a webhook.Attempt) views.ToolPanel {
	t := c.Text()
	code, words := attemptSays(t, a)
	tone := ui.Danger
	if code >= 200 && code <= 299 {
		tone = ui.Success
	}
	parts := []templ.Component{
		views.Row(ui.Status(tone, words), ui.Time(a.CreatedAt.Time), ui.Plain(t.Webhooks.Took(a.TookMS)))}
	if tone == ui.Danger {
		parts = append(parts, views.Paragraph(t.Webhooks.Advice(code, web.Deref(a.Error))))
	}
	if a.ResponseBody != "" {
		parts = append(parts,
			views.Titled(t.Webhooks.ResponseBody, ui.CodeBlock(t.Webhooks.ResponseBody, a.ResponseBody)))
	}
	if len(a.Request) > 0 {
		parts = append(parts,
			views.More(t.Webhooks.RequestHeaders, ui.CodeBlock(t.Webhooks.RequestHeaders, headerLines(a.Request))))
	}
	if len(a.Response) > 0 {
		parts = append(parts,
			views.More(t.Webhooks.ResponseHeaders, ui.CodeBlock(t.Webhooks.ResponseHeaders, headerLines(a.Response))))
	}
	return views.ToolPanel{Card: ui.Card{Title: t.Webhooks.Attempt(a.Number), Text: a.URL},
		Body: views.Stacked(parts...)}
}

// headerLines writes headers as they are sent.
func headerLines(h map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h)) {
		b.WriteString(name + ": " + h[name] + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
