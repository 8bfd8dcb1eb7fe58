package api

import (
	"context"
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
)

func (a *API) feeRoutes() []route {
	return []route{
		{http.MethodGet, "/api/merchants/:id/fees", "", authz.FeeRead, constant, get(ofMerchant(a.Fees.Current))},
		{http.MethodPut, "/api/merchants/:id/fees", "", authz.FeeWriteDAF, constant, versioned(handleID(a.changeFees))},
		{http.MethodGet, "/api/merchants/:id/fees/history", "", authz.FeeRead, constant, listsOf(feeHistory, a.feeHistory)},
		{http.MethodPost, "/api/merchants/:id/fees/preview", "", authz.FeeRead, constant, asks(a.previewFees)},
		{http.MethodGet, "/api/fee_defaults", "", authz.FeeDefaultRead, constant, getOnly(a.Fees.Defaults)},
	}
}

// ofMerchant is a use-case whose merchant is in the path. Text that is no id is no merchant's.
func ofMerchant[T any](call func(context.Context, authz.Actor, int64) (T, error)) func(context.Context, authz.Actor,
	string) (T, error) {
	return func(ctx context.Context, actor authz.Actor, id string) (T, error) {
		return call(ctx, actor, positive(id))
	}
}

// feesInput is what the API writes of a merchant's fees.
type feesInput struct {
	DAFPercentage *money.Percent `json:"daf_percentage"`
}

// Screen refuses the rates that only people change.
func (feesInput) Screen(members []string) error { return fee.PortalOnly(members...) }

// Validate returns every mistake that can be seen without looking anything up.
func (in feesInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Required(&fs, "daf_percentage", in.DAFPercentage != nil)
	return fs
}

func (a *API) changeFees(ctx context.Context, req *request, id string, in feesInput,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Fees.SetDAFPercentage(ctx, req.actor, positive(id),
		fee.DAFChange{Percent: *in.DAFPercentage, IfVersion: req.ifVersion}, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) previewFees(ctx context.Context, actor authz.Actor, id string, in fee.Proposal) (fee.Preview, error) {
	return a.Fees.PreviewChange(ctx, actor, positive(id), in)
}

func feeHistory(q *query) page.Input[ids.FeeSchedule] { return pageOf(q, ids.ParseFeeSchedule) }

func (a *API) feeHistory(ctx context.Context, actor authz.Actor, id string,
	in page.Input[ids.FeeSchedule]) (page.Of[fee.Record], error) {
	return a.Fees.History(ctx, actor, positive(id), in)
}

// feeCodes are those of fees.
var feeCodes = []code{
	{
		Name: "fee_portal_only", Kind: fault.KindForbidden,
		Meaning: "Only people change this rate, in the portal; param names it. The API writes daf_percentage only.",
		Remedy:  "Send daf_percentage alone.",
		Message: "This fee is changed in the portal. The API writes daf_percentage only.",
		Param:   "capture_fee",
	},
}
