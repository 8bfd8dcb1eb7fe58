package simulate

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/processor"
)

// disputeKinds are the events of a dispute by the words of the API.
var disputeKinds = map[string]processor.EventKind{
	"won": processor.DisputeWon, "lost": processor.DisputeLost,
	"escalated": processor.DisputeEscalated, "closed": processor.DisputeClosed,
}

// DisputeOutcomes lists what can be simulated of a dispute.
func DisputeOutcomes() []string { return []string{"won", "lost", "escalated", "closed"} }

// DisputeInput says what happens to a dispute.
type DisputeInput struct {
	Outcome *string `json:"outcome"`
}

// Validate returns every mistake that can be seen without looking anything up.
func (in DisputeInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Choice(&fs, "outcome", in.Outcome, DisputeOutcomes()...)
	return fs
}

// Dispute has a dispute decided, escalated or closed at the processor, takes it in, and returns the
// dispute as it then is.
func (s *Service) Dispute(ctx context.Context, actor authz.Actor, id string, in DisputeInput,
	claim *idempotency.Claim) (idempotency.Result[dispute.Dispute], error) {
	happen := func(ctx context.Context, d dispute.Dispute) error {
		c, err := s.deps.Charges.Find(ctx, d.ApplicationID, d.ChargeID)
		if err != nil {
			return err
		}
		return s.deps.Happen(ctx,
			Happening{Account: c.Account(), Kind: disputeKinds[*in.Outcome], Dispute: d.Processor.Dispute})
	}
	return once(ctx, s, asked{actor, id, in, claim}, s.deps.Disputes.Get, happen)
}
