package developers

import (
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/instant"
	"svcpay/portal/web"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// developerTabs leads to those of the developer tools that the visitor may open.
func developerTabs(c *web.Request) (out []ui.Tab) {
	t := c.Text().Developers
	reachable, here := c.Reachable(), c.Request().URL.Path
	for _, tab := range []ui.Tab{
		{Label: t.Overview, Href: web.DevelopersPath}, {Label: t.Keys, Href: web.APIKeysPath},
		{Label: t.Webhooks, Href: web.WebhooksPath},
		{Label: t.Events, Href: web.EventsPath}, {Label: t.Logs, Href: web.LogsPath},
		{Label: t.Idempotency, Href: web.IdempotencyPath}, {Label: t.Start, Href: web.StartPath},
	} {
		if reachable[tab.Href] {
			tab.Here = here == tab.Href || tab.Href != web.DevelopersPath && web.Within(here, tab.Href)
			out = append(out, tab)
		}
	}
	return out
}

// toolCrumbs are the pages above one about one thing.
func toolCrumbs(t *text.Catalogue, label, href string) []ui.Crumb {
	return []ui.Crumb{{Label: t.Developers.Title, Href: web.DevelopersPath}, {Label: label, Href: href}}
}

// lines are the values of a text with one on each line; commas part them too.
func lines(words string) []string {
	return strings.FieldsFunc(words, func(r rune) bool {
		return r == '\n' || r == '\r' || r == ',' || r == ' ' ||
			r == '\t'
	})
}

// when is a moment that may not have come.
func when(at *instant.Time, never string) templ.Component {
	if at == nil {
		return ui.Plain(never)
	}
	return ui.Time(at.Time)
}

// withheld says that the visitor sees no bodies and addresses.
func withheld(c *web.Request) bool { return !c.May(authz.ContentRead) }
