// Package merchants is the portal's room of those who are paid: merchants with their accounts, payout schedules and
// wallets, their enrollment in DAF Pay, fees, and the processor accounts of merchants and applications.
package merchants

import (
	"slices"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/charge/rule"
	"svcpay/internal/daf"
	"svcpay/internal/fee"
	"svcpay/internal/identity"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/internal/platform/audit"
	"svcpay/internal/processor/accounts"
	"svcpay/portal/web"
	"svcpay/views"
)

// Pages serves the pages about merchants, fees and processor accounts.
type Pages struct {
	*web.Desk
	Merchants *merchant.Service
	Identity  *identity.Service
	Fees      *fee.Service
	Payouts   *payout.Service
	Accounts  *accounts.Service
	Charges   *charge.Service
	CardRules *rule.Service
	Ledger    *ledger.Service
	DAF       *daf.Service
	Audit     *audit.Log

	// Members and AuditLines draw the rows of a merchant's team and activity as their own rooms do.
	Members    func(c *web.Request, members []identity.Member, manages bool) []views.TeamMember
	AuditLines func(c *web.Request, entries []audit.Entry) (views.Audit, error)
}

// Routes are the routes of the room.
func (p *Pages) Routes() []web.Route {
	rs := []web.Route{
		web.Get(web.MerchantsPath, authz.MerchantRead, p.merchantList().Show).Grows(),
		web.Get(merchantsSheet, authz.ExportCreate, p.merchantList().Send).Grows(),
		web.Get(web.MerchantPath, authz.MerchantRead, web.Show(p.Merchant, p.showMerchant)).Grows(),
		web.Get(web.MerchantPath+"/team", authz.TeamRead, web.Show(p.Merchant, p.drawMerchantTeam)).Grows(),
		web.Get(web.MerchantPath+"/activity", authz.AuditRead, web.Show(p.Merchant, p.drawMerchantActivity)).Grows(),
	}
	return slices.Concat(rs, p.newMerchantForm().Routes(merchantNew, authz.MerchantCreate),
		p.editForm().Routes(web.MerchantPath+"/edit", authz.MerchantUpdate),
		p.merchantStatusForm().Routes(web.MerchantPath+"/status", authz.MerchantStatus), p.walletRoutes(),
		p.enrollmentRoutes(), p.feeRoutes(), p.merchantPayoutRoutes(), p.processingRoutes(),
		p.cardRuleRoutes())
}
