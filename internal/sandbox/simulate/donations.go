package simulate

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/processor"
)

// GrantHappening is what the provider of donor-advised funds is told to let happen to a grant now.
type GrantHappening struct {
	Account   string
	Reference string // ours, of the grant
	Kind      provider.EventKind
}

// grantKinds are the events of a grant by the words of the API.
var grantKinds = map[string]provider.EventKind{"completed": provider.GrantCompleted, "canceled": provider.GrantCanceled}

// DonationOutcomes lists what can be simulated of a DAF donation.
func DonationOutcomes() []string { return []string{"completed", "canceled"} }

// DonationInput says what happens to a DAF donation.
type DonationInput struct {
	Outcome *string `json:"outcome"`
}

// Validate returns every mistake that can be seen without looking anything up.
func (in DonationInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Choice(&fs, "outcome", in.Outcome, DonationOutcomes()...)
	return fs
}

// Donation has the grant of an integrated donation completed or canceled at the provider, takes it in, and returns
// the donation as it then is.
func (s *Service) Donation(ctx context.Context, actor authz.Actor, id string, in DonationInput,
	claim *idempotency.Claim) (idempotency.Result[daf.Donation], error) {
	happen := func(ctx context.Context, d daf.Donation) error {
		if d.Provider == nil {
			return fault.New(fault.KindConflict, "simulation_not_possible",
				"No provider reports on a donation that is not integrated. Change its status instead.")
		}
		return s.deps.HappenToGrant(ctx,
			GrantHappening{Account: processor.MerchantAccount(d.ApplicationID, d.MerchantID),
				Reference: d.Provider.Reference, Kind: grantKinds[*in.Outcome]})
	}
	return once(ctx, s, asked{actor, id, in, claim}, s.deps.Donations.Get, happen)
}
