package api

import (
	"context"
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/idempotency"
)

func (a *API) mandateRoutes() []route {
	return []route{
		{http.MethodGet, "/api/mandates/:id", "", authz.MandateRead, get(a.Tokens.GetMandate)},
		{http.MethodPost, "/api/mandates/:id/revoke", "", authz.MandateRevoke, act(a.revokeMandate)},
	}
}

func (a *API) revokeMandate(ctx context.Context, req *request, id string, _ nothing, claim *idempotency.Claim) (reply, error) {
	out, err := a.Tokens.RevokeMandate(ctx, req.actor, id, claim)
	return made(http.StatusOK, "", out), err
}
