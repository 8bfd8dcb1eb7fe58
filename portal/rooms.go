package portal

import (
	"svcpay/portal/account"
	"svcpay/portal/developers"
	"svcpay/portal/merchants"
	"svcpay/portal/overview"
	"svcpay/portal/payments"
	"svcpay/portal/web"
)

// rooms are the rooms of the portal. A room imports no other room: a function of another room that it needs is passed
// to it here.
type rooms struct {
	account    *account.Pages
	payments   *payments.Pages
	merchants  *merchants.Pages
	developers *developers.Pages
	overview   *overview.Pages
}

// roomsOf gives each room the services that it calls.
func roomsOf(desk *web.Desk, c Config) rooms {
	over := &overview.Pages{Desk: desk, Audit: c.Audit, Identity: c.Identity, APIKeys: c.APIKeys,
		Merchants: c.Merchants, Fees: c.Fees, Charges: c.Charges,
		Refunds: c.Refunds, Disputes: c.Disputes, Payouts: c.Payouts, Ledger: c.Ledger, Search: c.Search,
		Totals: c.Totals, Events: c.Events,
		Webhooks: c.Webhooks, RequestLogs: c.RequestLogs, Inboxes: c.Inboxes,
		DAFConnection: c.DAFConnection}
	return rooms{
		overview: over,
		account:  &account.Pages{Desk: desk, Identity: c.Identity, Mail: c.Mail},
		payments: &payments.Pages{Desk: desk, Charges: c.Charges, CardRules: c.CardRules, Refunds: c.Refunds,
			Receipts: c.Receipts,
			Disputes: c.Disputes,
			Uploads:  c.Uploads, DAF: c.DAF, Payouts: c.Payouts, Ledger: c.Ledger, Merchants: c.Merchants,
			Statements: c.Statements, Timelines: c.Timelines,
			Webhooks: c.Webhooks, RequestLogs: c.RequestLogs, Clocks: c.Clocks},
		merchants: &merchants.Pages{Desk: desk, Merchants: c.Merchants, Identity: c.Identity, Fees: c.Fees,
			Payouts: c.Payouts,
			Charges: c.Charges, CardRules: c.CardRules,
			Accounts: c.Accounts, Ledger: c.Ledger, DAF: c.DAF, Audit: c.Audit, Members: account.MembersOf,
			AuditLines: over.AuditLines},
		developers: &developers.Pages{Desk: desk, APIKeys: c.APIKeys, Merchants: c.Merchants, Webhooks: c.Webhooks,
			Events: c.Events, RequestLogs: c.RequestLogs, PayURL: c.PayURL},
	}
}
