package api

import (
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/check"
	"svcpay/internal/ids"
	"svcpay/internal/sensitive"
)

func (a *API) chargeRoutes() []route {
	return []route{
		{http.MethodPost, "/api/charges", "", authz.ChargeCreate, constant, creates("/api/charges", a.Charges.Create)},
		{http.MethodGet, "/api/charges", "", authz.ChargeRead, grows, lists(chargeList, a.Charges.List, a.merchantOf())},
		{http.MethodGet, "/api/charges/:id", "", authz.ChargeRead, constant, get(a.Charges.Get, a.merchantOf())},
		{http.MethodPut, "/api/charges/:id", "", authz.ChargeUpdate, constant, updates(a.Charges.Update)},
		{http.MethodPost, "/api/charges/:id/capture", "", authz.ChargeCapture, constant, versioned(act(a.Charges.Capture))},
		{http.MethodPost, "/api/charges/:id/void", "", authz.ChargeVoid, constant, versioned(act(a.Charges.Void))},
	}
}

func chargeList(q *query) charge.ListInput {
	return charge.ListInput{
		Page: pageOf(q, ids.ParseCharge), Created: q.times("created_at"), Captured: q.times("captured_at"),
		Settled: q.times("settled_at"), Amounts: q.amounts("amount"),
		Statuses: q.words("status", charge.Statuses()), Merchants: q.integers("merchant_id"), Types: q.words("type",
			charge.Types()),
		Currencies: q.currencies(), ExternalID: q.text("external_id", check.MaxExternalID), Email: q.email(),
		Last4: q.last4(),
		Token: idIn(q, "token", ids.ParseToken), Brands: q.words("brand", sensitive.BrandNames()), Payout: idIn(q,
			"payout_id", ids.ParsePayout),
		Failures: q.words("failure_code", charge.FailureCodes()), Recurring: q.flag("recurring"),
		Metadata: q.pairs("metadata"),
	}
}
