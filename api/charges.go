package api

import (
	"context"
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/check"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/sensitive"
)

func (a *API) chargeRoutes() []route {
	return []route{
		{http.MethodPost, "/api/charges", "", authz.ChargeCreate, constant, handle(a.createCharge)},
		{http.MethodGet, "/api/charges", "", authz.ChargeRead, grows, lists(chargeList, a.Charges.List, a.merchantOf())},
		{http.MethodGet, "/api/charges/:id", "", authz.ChargeRead, constant, get(a.Charges.Get, a.merchantOf())},
		{http.MethodPut, "/api/charges/:id", "", authz.ChargeUpdate, constant, updates[charge.Charge](a.updateCharge)},
		{http.MethodPost, "/api/charges/:id/capture", "", authz.ChargeCapture, constant, versioned(act(a.captureCharge))},
		{http.MethodPost, "/api/charges/:id/void", "", authz.ChargeVoid, constant, versioned(act(a.voidCharge))},
	}
}

func (a *API) createCharge(ctx context.Context, req *request, in charge.CreateInput,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Charges.Create(ctx, req.actor, in, claim)
	return made(http.StatusCreated, "/api/charges", out), err
}

func (a *API) updateCharge(ctx context.Context, req *request, id string, in charge.UpdateInput,
	claim *idempotency.Claim) (reply, error) {
	in.IfVersion = req.ifVersion
	out, err := a.Charges.Update(ctx, req.actor, id, in, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) captureCharge(ctx context.Context, req *request, id string, in charge.CaptureInput,
	claim *idempotency.Claim) (reply, error) {
	in.IfVersion = req.ifVersion
	out, err := a.Charges.Capture(ctx, req.actor, id, in, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) voidCharge(ctx context.Context, req *request, id string, in charge.VoidInput,
	claim *idempotency.Claim) (reply, error) {
	in.IfVersion = req.ifVersion
	out, err := a.Charges.Void(ctx, req.actor, id, in, claim)
	return made(http.StatusOK, "", out), err
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
