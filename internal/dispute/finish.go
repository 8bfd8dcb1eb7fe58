package dispute

import (
	"context"
	"fmt"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// Finish writes the outcome of answers whose outcome was lost, and of those that turn up after they
// were given up.
func (s *Service) Finish(ctx context.Context, outcomes []operation.Outcome) error {
	_, err := s.finishAll(ctx, outcomes, outbox.Job)
	return err
}

func (s *Service) finish(ctx context.Context, in operation.Outcome) (finished, error) {
	out, err := s.finishAll(ctx, []operation.Outcome{in}, in.Source)
	if err != nil {
		return finished{}, err
	}
	return out[0], nil
}

type finished = operation.Finished[Dispute]

func (s *Service) finishAll(ctx context.Context, ins []operation.Outcome, source outbox.Source) ([]finished, error) {
	at := make(map[int64]instant.Moment) // before a transaction holds a connection
	applications, disputes := make([]int64, len(ins)), make([]ids.Dispute, len(ins))
	for i, in := range ins {
		m, err := s.deps.Clock.Moment(ctx, in.ApplicationID)
		if err != nil {
			return nil, err
		}
		at[in.ApplicationID] = m
		applications[i], disputes[i] = in.ApplicationID, ids.DisputeFrom(in.SubjectID)
	}
	var out []finished
	err := pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		out = make([]finished, len(ins))
		charges, err := s.lockChargesTx(ctx, tx, ins)
		if err != nil {
			return err
		}
		rows, err := s.lockAllTx(ctx, tx, applications, disputes)
		if err != nil {
			return err
		}
		for i, in := range ins {
			r, ok := rows[disputes[i]]
			if !ok {
				return fmt.Errorf("dispute: %v is gone", disputes[i])
			}
			c := &contest{
				change: change{s: s, tx: tx, m: at[in.ApplicationID], source: source, requestID: in.RequestID, row: r},
				charge: charges[in.ChargeID]}
			if out[i], err = c.finish(ctx, in); err != nil {
				return err
			}
			rows[disputes[i]], charges[in.ChargeID] = c.row, c.charge
		}
		return nil
	})
	return out, err
}

// lockChargesTx locks the charges of outcomes, in the order of their ids: events of the processor take
// them before the dispute, too, and the database looks at them for a dispute that is written twice.
func (s *Service) lockChargesTx(ctx context.Context, tx *pg.Tx, ins []operation.Outcome) (map[ids.Charge]charge.Locked,
	error) {
	named := make([]charge.Named, len(ins))
	for i, in := range ins {
		named[i] = charge.Named{ApplicationID: in.ApplicationID, ID: in.ChargeID}
	}
	return s.deps.Charges.LockAllTx(ctx, tx, named)
}

// finish writes one outcome. Written twice it is the same, so that the request and the resolver may
// both arrive here.
func (c *contest) finish(ctx context.Context, in operation.Outcome) (finished, error) {
	refusal, err := c.answered(in)
	if err != nil {
		return finished{}, err
	}
	out := finished{Object: c.row.Dispute, Refusal: refusal}
	if in.State == operation.NotSubmitted {
		_, err := operation.FoundTx(ctx, c.tx, in)
		return out, err
	}
	operation.CloseTx(c.tx, in, c.m.Machine)
	return out, in.StoreTx(c.tx, out.Object, out.Refusal)
}

// answered applies an outcome: an answer that the processor took counts as far as the dispute is
// still what was answered.
func (c *contest) answered(in operation.Outcome) (*fault.Error, error) {
	is := answer(*in.Note)
	var refusal *fault.Error
	var err error
	switch {
	case in.Answer == nil:
		refusal = fault.New(fault.KindUnavailable, "processor_error",
			"The answer did not reach the processor. Try again with a new idempotency key.").With("advice",
			"try_again_later")
	case in.Answer.DeclineCode == processor.EvidenceRefused:
		refusal = notAnswerable(c.row.Dispute,
			"The processor does not accept this evidence. Shorten the texts or attach fewer or smaller files, then submit it again.")
	case !in.Answer.Approved:
		refusal = notAnswerable(c.row.Dispute, "The processor no longer accepts a response to this dispute.")
	case is == acceptance && c.row.Status == NeedsResponse:
		err = c.lose(Accepted)
	case is == acceptance && c.row.Status == Won:
		refusal = notAnswerable(c.row.Dispute, "The dispute was decided in your favor.")
	case is == evidenceToRetrieval && c.row.Kind != Retrieval:
		refusal = notAnswerable(c.row.Dispute, "The retrieval became a chargeback. Respond to the chargeback.")
	case is != acceptance && c.row.EvidenceSubmittedAt == nil:
		err = c.submitted()
	}
	if err != nil {
		return nil, err
	}
	return refusal, c.write(func(r *row) error {
		if r.OperationID == in.ID {
			r.OperationID = ids.Operation{}
		}
		return nil
	})
}

// submitted notes that the processor has the evidence. A dispute that was decided by then stays so.
func (c *change) submitted() error {
	return c.write(func(r *row) error {
		r.EvidenceSubmittedAt = instant.Ptr(c.m.At)
		if r.Status == NeedsResponse {
			r.Status = UnderReview
		}
		return nil
	})
}
