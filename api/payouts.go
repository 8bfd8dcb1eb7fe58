package api

import (
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/payout"
	"svcpay/internal/platform/page"
)

func (a *API) payoutRoutes() []route {
	return []route{
		{http.MethodGet, "/api/payouts", "", authz.PayoutRead, grows, lists(payoutList, a.Payouts.List, a.merchantOf())},
		{http.MethodGet, "/api/payouts/:id", "", authz.PayoutRead, constant, get(a.Payouts.Get, a.merchantOf())},
		{http.MethodGet, "/api/payouts/:id/entries", "", authz.PayoutRead, grows, listsOf(payoutEntryList, a.Payouts.Entries)},
	}
}

func payoutList(q *query) payout.ListInput {
	return payout.ListInput{
		Page: pageOf(q, ids.ParsePayout), Created: q.times("created_at"), ArrivalOn: q.days("arrival_on"),
		Amounts:  q.amounts("amount"),
		Statuses: q.words("status", payout.Statuses()), Merchants: q.integers("merchant_id"),
		Currencies: q.currencies(),
	}
}

func payoutEntryList(q *query) page.Input[ids.Entry] { return pageOf(q, ids.ParseEntry) }
