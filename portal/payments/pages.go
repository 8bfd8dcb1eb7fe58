// Package payments is the portal's room of money that moves: charges and what is done with them, refunds, receipts,
// disputes and their evidence, donations, payouts, and the balances and monthly statements that follow.
package payments

import (
	"slices"

	"svcpay/internal/charge"
	"svcpay/internal/charge/rule"
	"svcpay/internal/daf"
	"svcpay/internal/dispute"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/internal/platform/clock"
	"svcpay/internal/receipt"
	"svcpay/internal/refund"
	"svcpay/internal/report/statement"
	"svcpay/internal/report/timeline"
	"svcpay/internal/requestlog"
	"svcpay/internal/upload"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
)

// Pages serves the pages about payments.
type Pages struct {
	*web.Desk
	Charges     *charge.Service
	CardRules   *rule.Service
	Refunds     *refund.Service
	Receipts    *receipt.Service
	Disputes    *dispute.Service
	Uploads     *upload.Service
	DAF         *daf.Service
	Payouts     *payout.Service
	Ledger      *ledger.Service
	Merchants   *merchant.Service
	Statements  *statement.Service
	Timelines   *timeline.Service
	Webhooks    *webhook.Service
	RequestLogs *requestlog.Service
	Clocks      *clock.Clock
}

// Routes are the routes of the room.
func (p *Pages) Routes() []web.Route {
	return slices.Concat(p.chargeRoutes(), p.chargeActRoutes(), p.cardActRoutes(), p.receiptRoutes(), p.refundRoutes(),
		p.disputeRoutes(),
		p.donationRoutes(), p.payoutRoutes(), p.balanceRoutes())
}
