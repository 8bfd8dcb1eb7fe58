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
		{http.MethodGet, "/api/merchants/:id/fees", "", authz.FeeRead, constant, get(a.Fees.Current)},
		{http.MethodPut, "/api/merchants/:id/fees", "", authz.FeeWriteDAF, constant, versioned(handleID(a.changeFees))},
		{http.MethodGet, "/api/merchants/:id/fees/history", "", authz.FeeRead, constant, listsOf(feeHistory, a.Fees.History)},
		{http.MethodPost, "/api/merchants/:id/fees/preview", "", authz.FeeRead, constant, asks(a.Fees.PreviewChange)},
		{http.MethodGet, "/api/fee_defaults", "", authz.FeeDefaultRead, constant, getOnly(a.Fees.Defaults)},
	}
}

// feesInput is what the API writes of a merchant's fees.
type feesInput struct {
	DAFPercentage *money.Percent `json:"daf_percentage"`
	IfVersion     *int           `json:"-"` // the fees must still be of this version
}

// Screen refuses the rates that only people change.
func (feesInput) Screen(members []string) error { return fee.PortalOnly(members...) }

// Validate returns every mistake that can be seen without looking anything up.
func (in feesInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Required(&fs, "daf_percentage", in.DAFPercentage != nil)
	return fs
}

func (a *API) changeFees(ctx context.Context, actor authz.Actor, merchantID int64, in feesInput,
	claim *idempotency.Claim) (idempotency.Result[fee.Record], error) {
	return a.Fees.SetDAFPercentage(ctx, actor, merchantID,
		fee.DAFChange{Percent: *in.DAFPercentage, IfVersion: in.IfVersion}, claim)
}

func feeHistory(q *query) page.Input[ids.FeeSchedule] { return pageOf(q, ids.ParseFeeSchedule) }

// feeCodes are those of fees.
var feeCodes = []code{
	{Name: "fee_portal_only", Kind: fault.KindForbidden, Param: "capture_fee",
		Meaning: "Only people change this rate, in the portal; param names it. The API writes daf_percentage only.",
		Remedy:  "Send daf_percentage alone.",
		Message: "This fee is changed in the portal. The API writes daf_percentage only."},
}
