package simulate

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
)

// RefundOutcomes lists what can be simulated of a refund.
func RefundOutcomes() []string { return []string{"failed"} }

// RefundFailures lists why a refund can fail in a simulation.
func RefundFailures() (out []string) {
	for _, why := range processor.RefundFailures() {
		out = append(out, string(why))
	}
	return out
}

// RefundInput says what happens to a refund that has succeeded.
type RefundInput struct {
	Outcome *string `json:"outcome"`
	Reason  *string `json:"reason"` // default account_closed
}

// Validate returns every mistake that can be seen without looking anything up.
func (in RefundInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Choice(&fs, "outcome", in.Outcome, RefundOutcomes()...)
	check.OneOf(&fs, "reason", in.Reason, RefundFailures()...)
	return fs
}

// Refund has a refund fail at the processor after it was approved, takes it in, and returns the refund as it then is.
func (s *Service) Refund(ctx context.Context, actor authz.Actor, id string, in RefundInput,
	claim *idempotency.Claim) (idempotency.Result[refund.Refund], error) {
	happen := func(ctx context.Context, r refund.Refund) error {
		c, err := s.deps.Charges.Find(ctx, r.ApplicationID, r.ChargeID)
		if err != nil {
			return err
		}
		err = s.deps.Happen(ctx,
			Happening{Account: c.Account(), Kind: processor.RefundFailed, Reference: r.Processor.Reference,
				Failure: processor.RefundFailure(or(in.Reason, string(processor.AccountClosed)))})
		if fault.HasCode(err, "resource_missing") {
			return fault.New(fault.KindConflict, "simulation_not_possible", "The refund was not sent to the processor.")
		}
		return err
	}
	return once(ctx, s, asked{actor, id, in, claim}, s.deps.Refunds.Get, happen)
}
