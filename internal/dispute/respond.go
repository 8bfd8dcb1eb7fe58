package dispute

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/crash"
	"svcpay/internal/upload"
)

// Result is the answer to a request that answers a dispute.
type Result = idempotency.Result[Dispute]

// respondTimeout bounds an answer: the call and the two transactions around it.
const respondTimeout = 30 * time.Second

// answer is what a merchant says to a dispute. It is also the note of its operation: anyone who writes
// the outcome knows what was answered to what.
type answer string

const (
	evidenceToRetrieval  answer = "evidence to a retrieval"
	evidenceToChargeback answer = "evidence to a chargeback"
	acceptance           answer = "acceptance of a chargeback"
)

// SubmitEvidence submits evidence, once: the dispute is then under review. Nothing can be added to
// it later. Faults: those of [EvidenceInput.Validate], and of files that do not exist;
// resource_missing; dispute_not_answerable unless the dispute needs a response and its time has not
// run out, also if the processor does not take it; operation_in_progress; processor_error if it never
// arrived. claim may be nil.
//
// Once begun, the work goes on even if the caller goes away.
func (s *Service) SubmitEvidence(ctx context.Context, actor authz.Actor, id string, in EvidenceInput,
	claim *idempotency.Claim) (Result, error) {
	if err := s.audit.Allow(ctx, actor, authz.DisputeAnswer, audit.Of("dispute", id, 0)); err != nil {
		return Result{}, err
	}
	had, err := s.drafted(ctx, actor, id)
	if err != nil {
		return Result{}, err
	}
	files, err := in.known(ctx, s.deps.Pool, actor, had, in.Validate())
	if err != nil {
		return Result{}, err
	}
	return s.respond(ctx, actor, id, claim, func(ctx context.Context, c *change) (answer, error) {
		is := evidenceToChargeback
		if c.row.Kind == Retrieval {
			is = evidenceToRetrieval
		}
		if err := check.Version(in.IfVersion, c.row.Version); err != nil {
			return "", err
		}
		return is, c.draft(ctx, in.Evidence, files)
	})
}

// Accept gives a chargeback up: its money goes back to the payer. Faults as of
// [Service.SubmitEvidence]; a retrieval has nothing to accept.
func (s *Service) Accept(ctx context.Context, actor authz.Actor, id string, claim *idempotency.Claim) (Result, error) {
	if err := s.audit.Allow(ctx, actor, authz.DisputeAnswer, audit.Of("dispute", id, 0)); err != nil {
		return Result{}, err
	}
	return s.respond(ctx, actor, id, claim, func(_ context.Context, c *change) (answer, error) {
		if c.row.Kind == Retrieval {
			return "", notAnswerable(c.row.Dispute, "A retrieval asks for documents only; there is nothing to accept.")
		}
		return acceptance, nil
	})
}

// SaveDraft keeps evidence without handing it in, in place of an earlier draft. Faults as of
// [Service.SubmitEvidence], save that a draft may be empty. A draft like the one before changes nothing.
func (s *Service) SaveDraft(ctx context.Context, actor authz.Actor, id string, in EvidenceInput) (Dispute, error) {
	if err := s.audit.Allow(ctx, actor, authz.DisputeAnswer, audit.Of("dispute", id, 0)); err != nil {
		return Dispute{}, err
	}
	had, err := s.drafted(ctx, actor, id)
	if err != nil {
		return Dispute{}, err
	}
	files, err := in.known(ctx, s.deps.Pool, actor, had, in.validate())
	if err != nil {
		return Dispute{}, err
	}
	disputeID, m, err := s.about(ctx, actor, id)
	if err != nil {
		return Dispute{}, err
	}
	var out Dispute
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		c, err := s.answerableTx(ctx, tx, m, actor, disputeID)
		if err != nil {
			return err
		}
		before := c.row.Dispute
		if err := check.Version(in.IfVersion, before.Version); err != nil {
			return err
		}
		if err = c.draft(ctx, in.Evidence, files); err != nil {
			return err
		}
		out = c.row.Dispute
		return s.doneTx(tx, actor, out, before, out)
	})
	return out, err
}

// drafted are the files of a dispute's draft; none of a dispute that does not exist for the actor, which is told later.
func (s *Service) drafted(ctx context.Context, actor authz.Actor, id string) ([]ids.File, error) {
	disputeID, err := ids.ParseDispute(id)
	if err != nil {
		return nil, nil //nolint:nilerr // what is wrong with the input is told first
	}
	d, err := s.find(ctx, actor.ApplicationID, disputeID)
	if f, ok := fault.As(err); ok && f.Kind == fault.KindNotFound || !actor.Sees(d.MerchantID) {
		return nil, nil
	}
	return d.EvidenceFiles, err
}

// doneTx queues that someone answered a dispute, or prepared to.
func (s *Service) doneTx(tx *pg.Tx, actor authz.Actor, d Dispute, before, after any) error {
	return s.audit.DoneTx(tx, actor, authz.DisputeAnswer, audit.Of("dispute", d.ID.String(), d.MerchantID),
		before, after)
}

// given is what the audit log keeps of an answer; its outcome is an event.
type given struct {
	Answer answer `json:"answer"`
}

// about reads the id of a dispute that the actor sees, and the time of its application.
func (s *Service) about(ctx context.Context, actor authz.Actor, id string) (ids.Dispute, instant.Moment, error) {
	disputeID, err := ids.ParseDispute(id)
	if err != nil {
		return disputeID, instant.Moment{}, fault.Missing()
	}
	err = actor.Reach(func() (int64, error) {
		d, err := s.find(ctx, actor.ApplicationID, disputeID)
		return d.MerchantID, err
	})
	if err != nil {
		return disputeID, instant.Moment{}, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	return disputeID, m, err
}

// draft replaces what would be submitted.
func (c *change) draft(ctx context.Context, evidence Evidence, files []ids.File) error {
	// they existed a moment ago, but may have been purged since
	if held, err := upload.HoldTx(ctx, c.tx, c.row.ApplicationID, files); err != nil {
		return err
	} else if !held {
		var fs fault.Fields
		addUnknownFile(&fs)
		return fs.Err()
	}
	return c.write(func(r *row) error {
		r.Evidence, r.EvidenceFiles = evidence, files
		r.Dispute = c.s.derive(r.Dispute)
		return nil
	})
}

// answerableTx locks a dispute that may be answered now.
func (s *Service) answerableTx(ctx context.Context, tx *pg.Tx, m instant.Moment, actor authz.Actor,
	id ids.Dispute) (*change, error) {
	r, err := s.lockTx(ctx, tx, actor.ApplicationID, id)
	switch {
	case err != nil:
		return nil, err
	case r.Status != NeedsResponse:
		return nil, notAnswerable(r.Dispute, "Only a dispute that needs a response can be answered; this one is "+
			string(r.Status)+".")
	case !m.At.Before(r.RespondBy.Time):
		return nil, notAnswerable(r.Dispute, "The time to answer this dispute has run out.")
	case !r.OperationID.IsZero():
		return nil, fault.New(fault.KindConflict, "operation_in_progress",
			"An answer to this dispute is on its way. Read the dispute in a moment.").After(time.Second)
	}
	return &change{s: s, tx: tx, m: m, source: outbox.SourceOf(actor), requestID: actor.RequestID, row: r}, nil
}

func notAnswerable(d Dispute, message string) *fault.Error {
	return fault.New(fault.KindConflict, "dispute_not_answerable", message).With("status", string(d.Status))
}

// respond answers a dispute: decide under its lock, commit our reference, call, finish.
func (s *Service) respond(ctx context.Context, actor authz.Actor, id string, claim *idempotency.Claim,
	decide func(context.Context, *change) (answer, error),
) (Result, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), respondTimeout)
	defer cancel()
	disputeID, m, err := s.about(ctx, actor, id)
	if err != nil {
		return Result{}, err
	}
	out, err := s.claim(ctx, m, actor, disputeID, claim, decide)
	switch {
	case err != nil:
		return Result{}, err
	case out.Prior != nil:
		return s.flow.Resume(ctx, claim, out.Prior)
	}
	crash.Point("dispute.claimed")
	return s.flow.CarryOut(ctx, out.Object, out.Operation, func(ctx context.Context) (processor.Answer, error) {
		return s.call(ctx, out.Object, out.Operation)
	})
}

// claim writes down what is answered to a dispute, in one transaction.
func (s *Service) claim(ctx context.Context, m instant.Moment, actor authz.Actor, id ids.Dispute,
	key *idempotency.Claim, decide func(context.Context, *change) (answer, error),
) (out operation.Claimed[Dispute], err error) {
	known, err := s.find(ctx, actor.ApplicationID, id)
	if err != nil {
		return out, err
	}
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) (err error) {
		out, err = s.claimTx(ctx, tx, m, actor, known, key, decide)
		return err
	})
	if errors.Is(err, pg.ErrCommit) && out.Proceeds() {
		// The answer to the commit was lost. If the operation is there it was written, and no other program has
		// begun to send it.
		if open, lost := operation.IsOpen(ctx, s.deps.Pool, out.Operation.ID); lost == nil && open {
			err = nil
		}
	}
	return out, err
}

func (s *Service) claimTx(ctx context.Context, tx *pg.Tx, m instant.Moment, actor authz.Actor, known Dispute,
	key *idempotency.Claim, decide func(context.Context, *change) (answer, error),
) (out operation.Claimed[Dispute], err error) {
	verdicts, err := idempotency.ClaimTx(ctx, tx, m.Machine,
		[]idempotency.Entry{{Claim: key, ObjectID: known.ID.Bytes()}})
	if err != nil {
		return out, err
	}
	if out.Prior = verdicts[0].Prior; out.Prior != nil || verdicts[0].Err != nil {
		return out, verdicts[0].Err
	}
	// The operation refers to the charge, whose lock events of the processor take first.
	l, err := s.deps.Charges.LockTx(ctx, tx, actor.ApplicationID, known.ChargeID)
	if err != nil {
		return out, err
	}
	c, err := s.answerableTx(ctx, tx, m, actor, known.ID)
	if err != nil {
		return out, err
	}
	is, err := decide(ctx, c)
	if err != nil {
		return out, err
	}
	note, d := string(is), c.row.Dispute
	out.Object, out.Operation = d, operation.New(operation.Operation{ApplicationID: d.ApplicationID,
		MerchantID: d.MerchantID, ChargeID: d.ChargeID,
		SubjectID: d.ID.Bytes(), Kind: operation.Respond, Amount: d.Amount, Currency: d.Currency, Note: &note,
		RequestID: actor.RequestID, Source: outbox.SourceOf(actor)}.At(l.Account()), key, m.Machine)
	operation.OpenTx(tx, out.Operation)
	if err := s.doneTx(tx, actor, d, nil, given{is}); err != nil {
		return out, err
	}
	return out, c.write(func(r *row) error {
		r.OperationID = out.Operation.ID
		return nil
	})
}

// call submits the response. An error means that the outcome is unknown, unless it is [operation.ErrNotSent].
func (s *Service) call(ctx context.Context, d Dispute, o operation.Operation) (processor.Answer, error) {
	r := processor.Response{Reference: o.Reference, Account: o.Account(),
		Dispute: d.Processor.Dispute, Amount: d.Amount, Currency: d.Currency}
	if answer(*o.Note) == acceptance {
		r.Accept = true
		return s.deps.Processors.Respond(ctx, r)
	}
	files, err := upload.Contents(ctx, s.deps.Pool, d.ApplicationID, d.EvidenceFiles)
	if err != nil {
		return processor.Answer{}, operation.NotSent(err)
	}
	r.Evidence, r.Retrieval = d.Evidence, answer(*o.Note) == evidenceToRetrieval
	for _, f := range files {
		r.Files = append(r.Files, processor.File{Name: f.Name, ContentType: f.ContentType, Content: f.Content})
	}
	return s.deps.Processors.Respond(ctx, r)
}
