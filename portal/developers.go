package portal

import (
	"encoding/json"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/instant"
	"svcpay/portal/web"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	developersPath  = "/portal/developers"
	idempotencyPath = developersPath + "/idempotency"
	debugPath       = developersPath + "/signature"
	eventsPath      = developersPath + "/events"
)

// developerRoutes are the developer tools.
func (p *Portal) developerRoutes() []web.Route {
	out := []web.Route{web.Get(developersPath, authz.KeyRead, p.showDevelopers)}
	out = append(out, p.apiKeyRoutes()...)
	out = append(out, p.webhookRoutes()...)
	out = append(out, p.eventRoutes()...)
	out = append(out, p.logRoutes()...)
	out = append(out, p.debugRoutes()...)
	return append(out, p.startRoutes()...)
}

// developerTabs leads to those of the developer tools that the visitor may open.
func developerTabs(c *web.Request) (out []ui.Tab) {
	t := c.Text().Developers
	reachable, here := c.Reachable(), c.Request().URL.Path
	for _, tab := range []ui.Tab{
		{Label: t.Overview, Href: developersPath}, {Label: t.Keys, Href: apiKeysPath}, {Label: t.Webhooks, Href: webhooksPath},
		{Label: t.Events, Href: eventsPath}, {Label: t.Logs, Href: logsPath}, {Label: t.Idempotency, Href: idempotencyPath}, {Label: t.Start, Href: startPath},
	} {
		if reachable[tab.Href] {
			tab.Here = here == tab.Href || tab.Href != developersPath && within(here, tab.Href)
			out = append(out, tab)
		}
	}
	return out
}

// toolCrumbs are the pages above one about one thing.
func toolCrumbs(t *text.Catalogue, label, href string) []ui.Crumb {
	return []ui.Crumb{{Label: t.Developers.Title, Href: developersPath}, {Label: label, Href: href}}
}

// lines are the values of a text with one on each line; commas part them too.
func lines(words string) []string {
	return strings.FieldsFunc(words, func(r rune) bool { return r == '\n' || r == '\r' || r == ',' || r == ' ' || r == '\t' })
}

// indented is an object as the API says it, to be read.
func indented(of any) string {
	out, err := json.MarshalIndent(of, "", "  ")
	if err != nil {
		return "" // what the API says can be written
	}
	return string(out)
}

// when is a moment that may not have come.
func when(at *instant.Time, never string) templ.Component {
	if at == nil {
		return ui.Plain(never)
	}
	return ui.Time(at.Time)
}

// withheld tells that the visitor sees no bodies and addresses.
func withheld(c *web.Request) bool { return !c.May(authz.ContentRead) }

// stampAt is a moment that may not be there, as a sheet has it.
func stampAt(at *instant.Time) string {
	if at == nil {
		return ""
	}
	return stamp(at.Time)
}

// exported is the address of a list as CSV; "" for whoever may not take lists away.
func exported(c *web.Request, path string) string {
	if !c.May(authz.ExportCreate) {
		return ""
	}
	return path
}
