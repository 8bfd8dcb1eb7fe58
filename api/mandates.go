package api

import (
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/token"
)

func (a *API) mandateRoutes() []route {
	return []route{
		{http.MethodGet, "/api/mandates", "", authz.MandateRead, grows, lists(mandateList, a.Tokens.Mandates)},
		{http.MethodGet, "/api/mandates/:id", "", authz.MandateRead, constant, get(a.Tokens.GetMandate)},
		{http.MethodPost, "/api/mandates/:id/revoke", "", authz.MandateRevoke, constant, act(bare(a.Tokens.RevokeMandate))},
	}
}

func mandateList(q *query) token.MandateListInput {
	return token.MandateListInput{Page: pageOf(q, ids.ParseMandate), Accepted: q.times("accepted_at"),
		Statuses: q.words("status", token.MandateStatuses()),
		Schemes:  q.words("scheme", token.MandateSchemes()), Merchants: q.integers("merchant_id"),
		Token: idIn(q, "token", ids.ParseToken)}
}
