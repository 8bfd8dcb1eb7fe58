package dispute

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
)

// Finish writes what became of answers whose outcome was lost, and of those that turn up after they
// were given up.
func (s *Service) Finish(ctx context.Context, outcomes []operation.Outcome) error {
	_, err := s.finishAll(ctx, outcomes, outbox.Job)
	return err
}

func (s *Service) finish(ctx context.Context, in operation.Outcome) (finished, error) {
	out, err := s.finishAll(ctx, []operation.Outcome{in}, outbox.API)
	if err != nil {
		return finished{}, err
	}
	return out[0], nil
}

// finished is how an answer ended: the dispute as it then is, and the fault if it was not taken.
type finished struct {
	dispute Dispute
	refusal *fault.Error
}

func (s *Service) finishAll(ctx context.Context, ins []operation.Outcome, source outbox.Source) ([]finished, error) {
	at := make(map[int64]instant.Moment) // before a transaction holds a connection
	applications, disputes := make([]int64, len(ins)), make([]ids.Dispute, len(ins))
	for i, in := range ins {
		m, err := s.Clock.Moment(ctx, in.ApplicationID)
		if err != nil {
			return nil, err
		}
		at[in.ApplicationID] = m
		applications[i], disputes[i] = in.ApplicationID, ids.DisputeFrom(in.SubjectID)
	}
	var out []finished
	err := pg.InTx(ctx, s.Pool, func(tx *pg.Tx) error {
		out = make([]finished, len(ins))
		if err := s.lockChargesTx(ctx, tx, ins); err != nil {
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
			c := &change{s: s, tx: tx, m: at[in.ApplicationID], source: source, requestID: in.RequestID, row: r}
			if out[i], err = c.finish(ctx, in); err != nil {
				return err
			}
			rows[disputes[i]] = c.row
		}
		return nil
	})
	return out, err
}

// lockChargesTx locks the charges of outcomes, in the order of their ids: events of the processor take
// them before the dispute, too, and the database looks at them for a dispute that is written twice.
func (s *Service) lockChargesTx(ctx context.Context, tx *pg.Tx, ins []operation.Outcome) error {
	byCharge := slices.SortedFunc(slices.Values(ins), func(a, b operation.Outcome) int {
		return strings.Compare(a.ChargeID.String(), b.ChargeID.String())
	})
	for _, in := range byCharge {
		if _, err := s.Charges.LockTx(ctx, tx, in.ApplicationID, in.ChargeID); err != nil {
			return err
		}
	}
	return nil
}

// finish writes one outcome. Written twice it is the same, so that the request and the resolver may
// both arrive here.
func (c *change) finish(ctx context.Context, in operation.Outcome) (finished, error) {
	refusal, err := c.answered(in)
	if err != nil {
		return finished{}, err
	}
	out := finished{c.row.Dispute, refusal}
	if in.State == operation.NotSubmitted {
		_, err := operation.FoundTx(ctx, c.tx, in.ID)
		return out, err
	}
	operation.CloseTx(c.tx, in.ID, operation.StateOf(in.Answer), c.m.Machine)
	return out, finishKeyTx(c.tx, in.Operation, out)
}

// answered applies an outcome: an answer that the processor took counts as far as the dispute is
// still what was answered.
func (c *change) answered(in operation.Outcome) (*fault.Error, error) {
	is := answer(*in.Note)
	var refusal *fault.Error
	var err error
	switch {
	case in.Answer == nil:
		refusal = fault.New(fault.KindUnavailable, "processor_error",
			"The answer did not reach the processor. Try again with a new idempotency key.").With("advice", "try_again_later")
	case !in.Answer.Approved:
		refusal = notAnswerable(c.row.Dispute, "The processor takes no answer to this dispute any more.")
	case is == acceptance && c.row.Status == NeedsResponse:
		err = c.lose(Accepted)
	case is == acceptance && c.row.Status == Won:
		refusal = notAnswerable(c.row.Dispute, "The dispute was decided meanwhile, for you.")
	case is == evidenceToRetrieval && c.row.Kind != Retrieval:
		refusal = notAnswerable(c.row.Dispute, "The retrieval became a chargeback meanwhile. Answer that.")
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

func finishKeyTx(tx *pg.Tx, o operation.Operation, f finished) error {
	if o.IdempotencyKey == nil {
		return nil
	}
	if f.refusal != nil {
		return idempotency.FinishTx(tx, o.Held(), idempotency.Outcome{Refusal: f.refusal})
	}
	result, err := json.Marshal(f.dispute)
	if err != nil {
		return err
	}
	return idempotency.FinishTx(tx, o.Held(), idempotency.Outcome{Result: result})
}

// wait notes that the caller is told to wait, and has the resolver ask soon.
func (s *Service) wait(ctx context.Context, o operation.Operation) error {
	return pg.InTx(ctx, s.Pool, func(tx *pg.Tx) error {
		operation.SoonTx(tx, o.ID, s.Clock.Machine())
		if o.IdempotencyKey != nil {
			idempotency.AcceptTx(tx, o.Held())
		}
		return nil
	})
}

// inFlight is how long a key's first request is left alone before a retry takes over.
const inFlight = 2 * time.Second

// resume answers a request whose key was taken before. The owner of a key that stays claimed may
// have died: then this request finds out what became of its answer.
func (s *Service) resume(ctx context.Context, claim *idempotency.Claim, prior *idempotency.Prior) (Result, error) {
	if prior.State == idempotency.Claimed {
		if s.Clock.Machine().Sub(prior.CreatedAt) < inFlight {
			return Result{}, idempotency.InUse()
		}
		if err := s.Operations.ResolveSubject(ctx, claim.ApplicationID, prior.ObjectID); err != nil {
			return Result{}, err
		}
		var err error
		if prior, err = idempotency.Find(ctx, s.Pool, claim); err != nil {
			return Result{}, err
		}
	}
	if prior != nil && prior.State == idempotency.Accepted {
		d, err := s.find(ctx, claim.ApplicationID, ids.DisputeFrom(prior.ObjectID))
		if err != nil {
			return Result{}, err
		}
		// Read again: it may have become known, and then the dispute that was read is none to wait for.
		if prior, err = idempotency.Find(ctx, s.Pool, claim); err != nil {
			return Result{}, err
		}
		if prior != nil && prior.State == idempotency.Accepted {
			return Result{Dispute: d, Prior: prior, Unknown: true}, nil
		}
	}
	if prior == nil || prior.State != idempotency.Done {
		return Result{}, idempotency.InUse()
	}
	return Result{Prior: prior}, nil
}
