package api

import (
	"net/http"
	"slices"

	"svcpay/internal/authz"
	"svcpay/internal/platform/bulkhead"
)

// route is one line of the table of everything that the API answers.
type route struct {
	method string
	path   string // canonical, under /api
	// alias is the bare path that applications already call, "" for most.
	alias string
	// permission is what the use-case will ask for; a test compares. "" if the handler is public.
	permission authz.Permission
	class      bulkhead.Class
	handler    handler
}

const (
	constant = bulkhead.Constant
	grows    = bulkhead.Grows
	streams  = bulkhead.Streams
)

func (r route) paths() []string {
	if r.alias == "" {
		return []string{r.path}
	}
	return []string{r.path, r.alias}
}

// methods are those that the route answers: what can be read can be asked for without its body.
func (r route) methods() []string {
	if r.method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{r.method}
}

// routes is the table: each resource's own, in its file.
func (a *API) routes() []route {
	return slices.Concat(
		a.chargeRoutes(),
		a.refundRoutes(),
		a.tokenRoutes(),
		a.mandateRoutes(),
		a.balanceRoutes(),
		a.disputeRoutes(),
		a.fileRoutes(),
		a.payoutRoutes(),
		a.statementRoutes(),
		a.sandboxRoutes(),
		a.feeRoutes(),
		a.cardRuleRoutes(),
		a.merchantRoutes(),
		a.searchRoutes(),
		a.exportRoutes(),
		a.meRoutes(),
		a.requestLogRoutes(),
		a.idempotencyKeyRoutes(),
		a.eventRoutes(),
		a.webhookRoutes(),
		a.donationRoutes(),
		a.dafQuoteRoutes(),
	)
}
