// Package overview is the portal's room of what concerns the whole of a place: the home page with what needs attention,
// search, the audit log, roles and what they may do, and the system.
package overview

import (
	"slices"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/daf/provider/connection"
	"svcpay/internal/dispute"
	"svcpay/internal/event"
	"svcpay/internal/fee"
	"svcpay/internal/identity"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/inbox"
	"svcpay/internal/refund"
	"svcpay/internal/report/search"
	"svcpay/internal/report/totals"
	"svcpay/internal/requestlog"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
)

// Pages serves the pages about a place as a whole.
type Pages struct {
	*web.Desk
	Audit       *audit.Log
	Identity    *identity.Service
	APIKeys     *apikey.Service
	Merchants   *merchant.Service
	Fees        *fee.Service
	Charges     *charge.Service
	Refunds     *refund.Service
	Disputes    *dispute.Service
	Payouts     *payout.Service
	Ledger      *ledger.Service
	Search      *search.Service
	Totals      *totals.Service
	Events      *event.Service
	Webhooks    *webhook.Service
	RequestLogs *requestlog.Service
	Inboxes     *inbox.Service
	// DAFConnection is the deployment's account at its provider of donor-advised funds.
	DAFConnection *connection.Service
}

// Routes are the routes of the room.
func (p *Pages) Routes() []web.Route {
	return slices.Concat([]web.Route{
		web.Get(web.Home, web.SignedIn, p.showHome).Grows(),
		web.Get(web.SystemPath, authz.SystemRead, p.showSystem).Grows(),
		web.Get(web.InboundPath, authz.SystemRead, p.showInbound).Grows(),
		web.Get(web.AssociationPath, authz.AssociationWrite, web.Show(p.associations, showAssociation)),
		web.Post(web.AssociationPath, authz.AssociationWrite, p.associationForm().Submit),
		web.Post(installPath, authz.AssociationWrite, p.Fresh(web.Act(p.installAssociation))),
		web.Post(uninstallPath+"/:version", authz.AssociationWrite, p.Fresh(web.Act(p.undoAssociation))),
		web.Get(connectDAFPath, authz.DAFProviderManage, p.Fresh(p.connectDAFForm().Show)),
		web.Post(connectDAFPath, authz.DAFProviderManage, p.FreshSecret(p.connectDAFForm().Submit)),
		web.Post(testDAFPath, authz.DAFProviderManage, web.Act(p.testDAF)),
		web.Get(web.SearchPath, authz.SearchRead, p.showSearch).Grows(),
		web.Get(web.RolesPath, authz.RoleRead, p.showRoles),
		web.Get(web.AuditPath, authz.AuditRead, p.auditList().Show).Grows(),
		web.Get(auditCSV, authz.ExportCreate, p.auditList().Send).Grows(),
		web.Get(web.ChainPath, authz.AuditRead, p.showChain).Grows(),
		web.Get(web.AuditPath+"/:id", authz.AuditRead, web.Show(p.auditEntry, p.showAuditEntry)),
	}, p.newApplicationForm().Routes(web.NewApplicationPath, authz.ApplicationManage))
}
