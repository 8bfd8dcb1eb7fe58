package charge

import (
	"context"
	"time"

	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/operation"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// CallWith has the service call another processor from now on.
func (s *Service) CallWith(p processor.Processor) { s.deps.Processors = processor.Only(p) }

// Request is one input of the claim step.
type Request struct {
	ApplicationID int64
	In            CreateInput
	Claim         *idempotency.Claim
}

// Claimed is its answer.
type Claimed struct {
	Charge  Charge
	HasPAN  bool
	HasCVC  bool
	Prior   *idempotency.Prior
	Refused error
}

// ClaimAll runs the claim step over several requests in one transaction.
func (s *Service) ClaimAll(ctx context.Context, requests ...Request) ([]Claimed, error) {
	var out []Claimed
	at := make(moments)
	for _, r := range requests {
		m, err := s.deps.Clock.Moment(ctx, r.ApplicationID)
		if err != nil {
			return nil, err
		}
		at[r.ApplicationID] = m
	}
	err := pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		var ins []request
		for _, r := range requests {
			token, _ := ids.ParseToken(*r.In.Token)
			ins = append(ins, request{applicationID: r.ApplicationID, token: token, in: r.In, claim: r.Claim,
				id: ids.NewRequest(s.deps.Clock.Machine())})
		}
		answers, err := s.claimTx(ctx, tx, at, ins)
		out = nil
		for _, a := range answers {
			out = append(out, Claimed{a.Object, len(a.sealed.PAN) > 0, len(a.sealed.CVC) > 0, a.Prior, a.Refused})
		}
		return err
	})
	return out, err
}

// Outcome is one input of the finish step; a nil Answer means never submitted.
type Outcome struct {
	ApplicationID int64
	ID            ids.Charge
	Answer        *processor.Answer
}

// FinishAll runs the finish step over several outcomes in one transaction.
func (s *Service) FinishAll(ctx context.Context, outcomes ...Outcome) (out []Charge, err error) {
	var ins []operation.Outcome
	for _, o := range outcomes {
		in := operation.Outcome{Operation: operation.Operation{ApplicationID: o.ApplicationID, ChargeID: o.ID},
			Answer: o.Answer}
		open, err := operation.OpenOf(ctx, s.deps.Pool, o.ApplicationID, o.ID.Bytes())
		if err != nil {
			return nil, err
		}
		if len(open) == 1 {
			in.Operation = open[0]
		}
		ins = append(ins, in)
	}
	at, err := s.moments(ctx, ins)
	if err != nil {
		return nil, err
	}
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		all, err := s.finishTx(ctx, tx, at, ins, outbox.Job)
		out = nil
		for _, f := range all {
			out = append(out, f.Object)
		}
		return err
	})
	return out, err
}

// Effects is what an outcome changes.
type Effects struct {
	Charge   Charge
	Fees     []fee.Event
	Postings []ledger.Posting
}

// Apply computes the effects of an outcome.
func Apply(c Charge, answer *processor.Answer, schedule fee.Schedule, now time.Time) Effects {
	return ApplyBy(c, answer, schedule, processor.StandardTerms(), now)
}

// ApplyBy is Apply by the terms of a processor.
func ApplyBy(c Charge, answer *processor.Answer, schedule fee.Schedule, by processor.Terms, now time.Time) Effects {
	e := submitted(c, operation.Outcome{Answer: answer},
		terms{fee.Terms{Merchant: schedule}, calendar.US, time.UTC, by}, now)
	return Effects{e.charge, e.fees, e.postings}
}

// BatchedAt is when a debit of a merchant in New York goes to the bank.
func BatchedAt(t time.Time) time.Time {
	zone, err := calendar.Zone("America/New_York")
	if err != nil {
		panic(err)
	}
	return calendar.US.BatchAt(t, zone, processor.StandardTerms().BatchHour)
}

// ListThrough is List over a connection of the test's.
func (s *Service) ListThrough(ctx context.Context, q pg.Querier, applicationID int64,
	in ListInput) (page.Of[Charge], error) {
	return s.list(ctx, q, applicationID, in)
}

// SelectFree reads which of some charges have no call in progress.
const SelectFree = selectFree

// Descriptor is the text on the payer's statement.
var Descriptor = descriptor

// FirstsOf reads the first charges through any connection.
var FirstsOf = firstsOf
