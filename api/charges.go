package api

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"svcpay/internal/charge"
	"svcpay/internal/idempotency"
)

func (a *API) createCharge(ctx context.Context, req *request, in charge.CreateInput, claim *idempotency.Claim) (reply, error) {
	out, err := a.Charges.Create(ctx, req.actor, in, claim)
	switch {
	case err != nil:
		return reply{}, err
	case out.Prior != nil && out.Prior.State == idempotency.Done:
		return stored(out.Prior, http.StatusCreated, "/api/charges"), nil
	}
	r := reply{status: statusOf(!out.Unknown), object: out.Charge, replayed: out.Prior != nil}
	r.version, r.location = out.Charge.Version, "/api/charges/"+out.Charge.ID.String()
	return r, nil
}

func (a *API) getCharge(c echo.Context, req *request) (reply, error) {
	out, err := a.Charges.Get(c.Request().Context(), req.actor, c.Param("id"))
	return reply{status: http.StatusOK, object: out, version: out.Version}, err
}

func (a *API) listCharges(c echo.Context, req *request) (reply, error) {
	q, err := queryOf(c, "status", "merchant_id", "external_id")
	if err != nil {
		return reply{}, err
	}
	in, err := q.charges()
	if err != nil {
		return reply{}, err
	}
	page, err := a.Charges.List(c.Request().Context(), req.actor, in)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, object: listOf(page, in.Page)}, nil
}
