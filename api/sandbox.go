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
		{http.MethodPost, "/api/sandbox/clock", "", authz.SandboxClock, constant, sandboxOnly(handle(a.advanceClock))},
		{http.MethodPost, "/api/sandbox/charges/:id/simulate", "", authz.SandboxSimulate, constant, sandboxOnly(handleID(a.simulateCharge))},
		{http.MethodPost, "/api/sandbox/disputes/:id/simulate", "", authz.SandboxSimulate, constant, sandboxOnly(handleID(a.simulateDispute))},
		{http.MethodPost, "/api/sandbox/refunds/:id/simulate", "", authz.SandboxSimulate, constant, sandboxOnly(handleID(a.simulateRefund))},
		{http.MethodPost, "/api/sandbox/payouts/:id/simulate", "", authz.SandboxSimulate, constant, sandboxOnly(handleID(a.simulatePayout))},
		{http.MethodPost, "/api/sandbox/dafDonations/:id/simulate", "", authz.SandboxSimulate, constant, sandboxOnly(handleID(a.simulateDonation))},
		{http.MethodPost, "/api/sandbox/daf_sessions", "", authz.SandboxSimulate, constant, sandboxOnly(asks(a.createDAFSession))},
		{http.MethodGet, "/api/sandbox/test_cases", "", authz.SandboxClock, constant, sandboxOnly(getOnly(a.Simulate.TestCases))},
	}
}

func (a *API) advanceClock(ctx context.Context, req *request, in simulate.AdvanceInput,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Simulate.Advance(ctx, req.actor, in, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) simulateCharge(ctx context.Context, req *request, id string, in simulate.ChargeInput,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Simulate.Charge(ctx, req.actor, id, in, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) simulateDispute(ctx context.Context, req *request, id string, in simulate.DisputeInput,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Simulate.Dispute(ctx, req.actor, id, in, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) simulateRefund(ctx context.Context, req *request, id string, in simulate.RefundInput,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Simulate.Refund(ctx, req.actor, id, in, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) simulatePayout(ctx context.Context, req *request, id string, in simulate.PayoutInput,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Simulate.Payout(ctx, req.actor, id, in, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) simulateDonation(ctx context.Context, req *request, id string, in simulate.DonationInput,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Simulate.Donation(ctx, req.actor, id, in, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) createDAFSession(ctx context.Context, actor authz.Actor, _ string,
	in simulate.DAFSessionInput) (simulate.DAFSession, error) {
	return a.Simulate.DAFSession(ctx, actor, in)
}

// sandboxCodes are those of simulations.
var sandboxCodes = []code{
	{
		Name: "simulation_not_possible", Kind: fault.KindConflict,
		Meaning: "The object's state does not allow that: it has happened already, or cannot happen to an object of this kind.",
		Remedy:  "Read the object, and the page about the sandbox.",
		Message: "The charge settled already.",
	},
}
