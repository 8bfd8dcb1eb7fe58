package api

import (
	"context"
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/token"
)

func (a *API) mandateRoutes() []route {
	return []route{
		{http.MethodGet, "/api/mandates", "", authz.MandateRead, grows, lists(mandateList, a.Tokens.Mandates)},
		{http.MethodGet, "/api/mandates/:id", "", authz.MandateRead, constant, get(a.Tokens.GetMandate)},
		{http.MethodPost, "/api/mandates/:id/revoke", "", authz.MandateRevoke, constant, act(a.revokeMandate)},
	}
}

func mandateList(q *query) token.MandateListInput {
	return token.MandateListInput{Page: pageOf(q, ids.ParseMandate), Accepted: q.times("accepted_at"),
		Statuses: q.words("status", token.MandateStatuses()),
		Schemes:  q.words("scheme", token.MandateSchemes()), Merchants: q.integers("merchant_id"),
		Token: idIn(q, "token", ids.ParseToken)}
}

func (a *API) revokeMandate(ctx context.Context, req *request, id string, _ nothing,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Tokens.RevokeMandate(ctx, req.actor, id, claim)
	return made(http.StatusOK, "", out), err
}
