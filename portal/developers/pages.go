// Package developers is the portal's room of tools for developers: API keys, webhook endpoints with their deliveries,
// events, requests, and the first steps of an integration.
package developers

import (
	"slices"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/merchant"
	"svcpay/internal/requestlog"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
)

// Pages serves the developer tools.
type Pages struct {
	*web.Desk
	APIKeys     *apikey.Service
	Merchants   *merchant.Service
	Webhooks    *webhook.Service
	Events      *event.Service
	RequestLogs *requestlog.Service
	PayURL      string // where the library and its frames are, as scheme://host
}

// Routes are the routes of the room.
func (p *Pages) Routes() []web.Route {
	return slices.Concat([]web.Route{
		web.Get(web.DevelopersPath, authz.KeyRead, p.showDevelopers).Grows(),
		web.Get(web.StartPath, authz.KeyRead, p.showStart),
	}, p.apiKeyRoutes(), p.webhookRoutes(), p.eventRoutes(), p.logRoutes(), p.debugRoutes())
}
