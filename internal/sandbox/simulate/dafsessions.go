package simulate

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
)

// DonorCase is a donor whom the sandbox's provider treats in a known way.
type DonorCase struct {
	Name   string
	FundID string
	// Username signs in on the fund's pages; "" of a fund that is not integrated.
	Username string
}

// DAFSessionInput asks for what a donor authorizes in the modal.
type DAFSessionInput struct {
	TestCase   *string       `json:"test_case"`
	MerchantID *int64        `json:"merchant_id"`
	Amount     *money.Amount `json:"amount"`
}

// Validate returns every mistake that can be seen without looking anything up.
func (in DAFSessionInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Required(&fs, "test_case", in.TestCase != nil)
	check.Required(&fs, "merchant_id", in.MerchantID != nil)
	check.Merchant(&fs, in.MerchantID)
	check.Required(&fs, "amount", in.Amount != nil)
	check.Amount(&fs, "amount", in.Amount)
	return fs
}

// DAFSession is what the event dafAuthorized gives a page: exactly one of the two ids, the amount and the donor.
type DAFSession struct {
	Object            string       `json:"object"` // daf_session
	Livemode          bool         `json:"livemode"`
	MerchantID        int64        `json:"merchant_id"`
	WorkflowSessionID string       `json:"workflowSessionId,omitempty"`
	GrantID           string       `json:"grantId,omitempty"`
	Amount            money.Amount `json:"amount"` // US cents
	User              daf.User     `json:"user"`
	ExpiresAt         instant.Time `json:"expires_at"` // by the real time
}

// DAFSession leads a donor through the modal and the fund's pages without a browser. It may be called again and again:
// a session that becomes no donation expires.
func (s *Service) DAFSession(ctx context.Context, actor authz.Actor, in DAFSessionInput) (DAFSession, error) {
	if err := s.deps.Check.Check(actor, authz.SandboxSimulate); err != nil {
		return DAFSession{}, err
	}
	if err := in.Validate().Err(); err != nil {
		return DAFSession{}, err
	}
	donor, ok := s.deps.Donor(*in.TestCase)
	if !ok {
		return DAFSession{}, fault.Invalid("parameter_invalid",
			check.AllowedValues(CasesFor(s.deps.Cases, "daf_sessions")...)).On("test_case")
	}
	if err := daf.WholeDollars(*in.Amount); err != nil {
		return DAFSession{}, err
	}
	m, err := s.deps.Merchants.Find(ctx, actor.ApplicationID, *in.MerchantID)
	if fault.HasCode(err, "resource_missing") || !actor.Sees(*in.MerchantID) {
		return DAFSession{}, merchant.ErrNotAssociated
	}
	if err == nil {
		err = m.TakesDonations()
	}
	if err != nil {
		return DAFSession{}, err
	}
	w, err := s.authorized(ctx, actor, m, donor, *in.Amount)
	if err != nil {
		return DAFSession{}, err
	}
	return DAFSession{Object: "daf_session", MerchantID: m.ID, WorkflowSessionID: w.SessionID, GrantID: w.GrantID,
		Amount: *w.Authorized,
		User:   userOf(w.Donor), ExpiresAt: instant.Of(w.ExpiresAt)}, nil
}

// authorized leads a donor from the form to the authorization.
func (s *Service) authorized(ctx context.Context, actor authz.Actor, m merchant.Merchant, donor DonorCase,
	a money.Amount) (workflow.Workflow, error) {
	secret, err := s.deps.Workflows.BeginTest(ctx, actor.KeyID, m, a)
	if err != nil {
		return workflow.Workflow{}, err
	}
	w, err := s.deps.Workflows.Choose(ctx, secret, donor.FundID, "about:blank")
	switch {
	case err != nil:
	case donor.Username == "":
		err = s.deps.Workflows.Confirm(ctx, secret)
	default:
		if err = s.deps.Authorize(ctx, w.VisitID, donor.Username); err == nil {
			_, _, err = s.deps.Workflows.Returned(ctx, secret)
		}
		if fault.HasCode(err, "balance_too_low") {
			err = fault.Invalid("amount_too_large",
				"The donor's account at the sandbox's fund does not hold that much. Try at most 4825000.").On("amount")
		}
	}
	if err != nil {
		return w, err
	}
	return s.deps.Workflows.Get(ctx, secret)
}

func userOf(d provider.Donor) daf.User {
	return daf.User{FirstName: d.FirstName, LastName: d.LastName, Email: d.Email, Note: d.Note}
}
