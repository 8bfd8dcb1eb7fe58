package simulate

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/processor"
)

// What can be simulated of a charge.
const (
	settled    = "settled"    // ahead of the calendar
	returned   = "returned"   // a bank debit comes back, with a return code
	chargeback = "chargeback" // the payer disputes it
	retrieval  = "retrieval"  // the issuer asks for documents
)

// ChargeOutcomes lists what can be simulated of a charge.
func ChargeOutcomes() []string { return []string{settled, returned, chargeback, retrieval} }

// ChargeInput says what happens to a charge.
type ChargeInput struct {
	Outcome    *string       `json:"outcome"`
	ReturnCode *string       `json:"return_code"`         // of returned
	Reason     *string       `json:"reason"`              // of a dispute
	Amount     *money.Amount `json:"amount" absent:"all"` // of a dispute; default all that can be disputed
}

// Validate returns every mistake that can be seen without looking anything up.
func (in ChargeInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Choice(&fs, "outcome", in.Outcome, ChargeOutcomes()...)
	if len(fs) > 0 {
		return fs
	}
	back := *in.Outcome == returned
	disputed := *in.Outcome == chargeback || *in.Outcome == retrieval
	switch {
	case back && in.ReturnCode == nil:
		fs.Add("return_code", "parameter_missing", "A return has a return code, such as R01.")
	case !back && in.ReturnCode != nil:
		fs.Add("return_code", "parameter_invalid", "Only a return has a return code.")
	}
	if in.Reason != nil && !disputed {
		fs.Add("reason", "parameter_invalid", "Only a dispute has a reason.")
	} else {
		check.Text(&fs, "reason", in.Reason, 1, maxReason)
	}
	if in.Amount != nil && !disputed {
		fs.Add("amount", "parameter_invalid", "Only a dispute has an amount.")
	} else {
		check.Amount(&fs, "amount", in.Amount)
	}
	return fs
}

const maxReason = 64 // characters

// Charge has something happen to a charge at the processor, takes it in, and returns the charge as it
// then is.
func (s *Service) Charge(ctx context.Context, actor authz.Actor, id string, in ChargeInput,
	claim *idempotency.Claim) (idempotency.Result[charge.Charge], error) {
	return once(ctx, s, asked{actor, id, in, claim}, s.deps.Charges.Get, processing(s, func(c charge.Charge) Happening {
		h := Happening{Account: c.Account(), Reference: c.Processor.Reference}
		switch *in.Outcome {
		case settled:
			h.Kind = processor.ChargeSettled
		case returned:
			h.Kind, h.ReturnCode = processor.DebitReturned, *in.ReturnCode
		default:
			h.Kind, h.Retrieval = processor.DisputeOpened, *in.Outcome == retrieval
			h.Reason, h.Amount = or(in.Reason, ""), or(in.Amount, 0)
		}
		return h
	}))
}

func or[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}
