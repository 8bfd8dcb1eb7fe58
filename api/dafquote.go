package api

import (
	"cmp"
	"fmt"
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/daf"
	"svcpay/internal/money"
)

func (a *API) dafQuoteRoutes() []route {
	return []route{
		{http.MethodGet, "/api/dafDonations/quote", "", authz.FeeRead, constant, getBy(dafQuote, a.DAF.Quote)},
	}
}

func dafQuote(q *query) daf.QuoteInput {
	goal := q.needed("amount", int64(money.MaxCharge),
		fmt.Sprintf("An integer of minor units from 1 to %d.", money.MaxCharge))
	return daf.QuoteInput{MerchantID: oneMerchant(q), Goal: money.Amount(goal),
		Cover: daf.Covered(cmp.Or(oneOf(q, "cover", daf.CoveredNames()...), string(daf.CoverService)))}
}
