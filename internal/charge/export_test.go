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
func (s *Service) CallWith(p processor.Processor) { s.deps.Processor = p }

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
			ins = append(ins, request{applicationID: r.ApplicationID, token: token, in: r.In, claim: r.Claim, id: ids.NewRequest(s.deps.Clock.Machine())})
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
		in := operation.Outcome{Operation: operation.Operation{ApplicationID: o.ApplicationID, ChargeID: o.ID}, Answer: o.Answer}
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
	e := submitted(c, answer, terms{fee.Terms{Merchant: schedule}, calendar.US, time.UTC}, now)
	return Effects{e.charge, e.fees, e.postings}
}

// BatchedAt is when a debit of a merchant in New York goes to the bank.
func BatchedAt(t time.Time) time.Time {
	zone, err := calendar.Zone("America/New_York")
	if err != nil {
		panic(err)
	}
	return calendar.US.BatchAt(t, zone)
}

// ListThrough is List over a connection of the test's.
func (s *Service) ListThrough(ctx context.Context, q pg.Querier, applicationID int64, in ListInput) (page.Of[Charge], error) {
	return s.list(ctx, q, applicationID, in)
}

// FoldAtMost has each transaction fold so many events, and about so many new charges.
func (s *Service) FoldAtMost(events int64, charges int) {
	s.foldEvents, s.foldCharges = events, charges
}

// FoldReading folds a batch of an application that was folded before, and tells how much it moved and how many rows of charges it read.
func (s *Service) FoldReading(ctx context.Context, applicationID int64) (n int, read int64, err error) {
	m, err := s.present(ctx, applicationID)
	if err != nil {
		return 0, 0, err
	}
	const rows = `SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::bigint FROM pg_stat_xact_user_tables WHERE relname = 'charges'`
	err = pg.InBatch(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		c, err := pg.One[cutoff](ctx, tx, `
			SELECT c.application_id, c.sequence, c.until, s.last_sequence FROM charge_cutoffs c JOIN event_streams s USING (application_id)
			WHERE application_id = @application_id`, pg.Args{"application_id": applicationID})
		if err != nil {
			return err
		}
		before, err := pg.Value[int64](ctx, tx, rows, pg.Args{})
		if err != nil {
			return err
		}
		if n, err = s.foldTx(ctx, tx, m, c); err != nil {
			return err
		}
		read, err = pg.Value[int64](ctx, tx, rows, pg.Args{})
		read -= before
		return err
	})
	return n, read, err
}

// DaysThrough is Days over a connection of the test's, for one who sees everything.
func (s *Service) DaysThrough(ctx context.Context, q pg.Querier, applicationID int64, in ListInput, zone string) ([]Day, error) {
	return s.days(ctx, q, applicationID, in, zone)
}

// SelectFree reads which of some charges have no call under way.
const SelectFree = selectFree
