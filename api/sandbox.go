package api

import (
	"context"
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/sandbox/simulate"
)

// sandboxRoutes are those by which an application tries things out; tokens of test cases stand with
// the tokens.
func (a *API) sandboxRoutes() []route {
	return []route{
		{http.MethodGet, "/api/sandbox/clock", "", authz.SandboxClock, constant, sandboxOnly(getOnly(a.Simulate.Now))},
		{http.MethodPost, "/api/sandbox/clock", "", authz.SandboxClock, constant, sandboxOnly(handleID(a.advanceClock))},
		{http.MethodPost, "/api/sandbox/charges/:id/simulate", "", authz.SandboxSimulate, constant, sandboxOnly(handleID(a.Simulate.Charge))},
		{http.MethodPost, "/api/sandbox/disputes/:id/simulate", "", authz.SandboxSimulate, constant, sandboxOnly(handleID(a.Simulate.Dispute))},
		{http.MethodPost, "/api/sandbox/refunds/:id/simulate", "", authz.SandboxSimulate, constant, sandboxOnly(handleID(a.Simulate.Refund))},
		{http.MethodPost, "/api/sandbox/payouts/:id/simulate", "", authz.SandboxSimulate, constant, sandboxOnly(handleID(a.Simulate.Payout))},
		{http.MethodPost, "/api/sandbox/dafDonations/:id/simulate", "", authz.SandboxSimulate, constant, sandboxOnly(handleID(a.Simulate.Donation))},
		{http.MethodPost, "/api/sandbox/daf_sessions", "", authz.SandboxSimulate, constant, sandboxOnly(asks(a.createDAFSession))},
		{http.MethodGet, "/api/sandbox/test_cases", "", authz.SandboxClock, constant, sandboxOnly(getOnly(a.Simulate.TestCases))},
	}
}

func (a *API) advanceClock(ctx context.Context, actor authz.Actor, _ string, in simulate.AdvanceInput,
	claim *idempotency.Claim) (idempotency.Result[simulate.Clock], error) {
	return a.Simulate.Advance(ctx, actor, in, claim)
}

func (a *API) createDAFSession(ctx context.Context, actor authz.Actor, _ string,
	in simulate.DAFSessionInput) (simulate.DAFSession, error) {
	return a.Simulate.DAFSession(ctx, actor, in)
}

// sandboxCodes are those of simulations.
var sandboxCodes = []code{
	{Name: "simulation_not_possible", Kind: fault.KindConflict,
		Meaning: "The object's state does not allow that: it has happened already, or cannot happen to an object of this kind.",
		Remedy:  "Read the object, and the page about the sandbox.",
		Message: "The charge settled already."},
}
