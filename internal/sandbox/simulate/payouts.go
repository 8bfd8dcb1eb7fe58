package simulate

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/payout"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/processor"
)

// payoutKinds are the events of a payout by the words of the API.
var payoutKinds = map[string]processor.EventKind{
	"paid": processor.PayoutPaid, "failed": processor.PayoutFailed, "returned": processor.PayoutReturned,
}

// PayoutOutcomes lists what can be simulated of a payout.
func PayoutOutcomes() []string { return []string{"paid", "failed", "returned"} }

// PayoutInput says what happens to a payout.
type PayoutInput struct {
	Outcome    *string `json:"outcome"`
	ReturnCode *string `json:"return_code"` // of failed and returned
}

// Validate returns every mistake that can be seen without looking anything up.
func (in PayoutInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Choice(&fs, "outcome", in.Outcome, PayoutOutcomes()...)
	if len(fs) > 0 {
		return fs
	}
	switch paid := *in.Outcome == "paid"; {
	case !paid && in.ReturnCode == nil:
		fs.Add("return_code", "parameter_missing", "A payout that comes back has a return code, such as R03.")
	case paid && in.ReturnCode != nil:
		fs.Add("return_code", "parameter_invalid", "Only a payout that comes back has a return code.")
	}
	return fs
}

// Payout has a payout arrive or come back at the processor, takes it in, and returns the payout as it
// then is.
func (s *Service) Payout(ctx context.Context, actor authz.Actor, id string, in PayoutInput,
	claim *idempotency.Claim) (idempotency.Result[payout.Payout], error) {
	return once(ctx, s, asked{actor, id, in, claim}, s.deps.Payouts.Get, processing(s, func(p payout.Payout) Happening {
		return Happening{Account: p.Account(), Kind: payoutKinds[*in.Outcome],
			Reference: p.Processor.Reference, ReturnCode: or(in.ReturnCode, "")}
	}))
}
