// Package account is the portal's room of people: signing in, their own settings and ways to verify their identity, the
// team with its invitations, and the portal through another role.
package account

import (
	"slices"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/platform/mail"
	"svcpay/portal/web"
)

// Pages serves what people do with their own account, and with those of their team.
type Pages struct {
	*web.Desk
	Identity *identity.Service
	Mail     *mail.Service
}

// Routes are the routes of the room.
func (p *Pages) Routes() []web.Route {
	return slices.Concat(p.signInRoutes(), p.settingsRoutes(), p.preferenceRoutes(), p.teamRoutes(), p.inboxRoutes(),
		[]web.Route{web.Get(web.ViewPath, authz.ViewAs, p.viewAsForm().Show).Grows(),
			web.Post(web.ViewPath, authz.ViewAs, p.viewAsForm().Submit)})
}
