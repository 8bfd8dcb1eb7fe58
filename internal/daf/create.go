package daf

import (
	"bytes"
	"context"
	"errors"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/crash"
)

// createTimeout bounds a creation: the call and the two transactions around it.
const createTimeout = 30 * time.Second

// claimed is a donation that was claimed, whose grant is called if it is integrated.
type claimed struct {
	operation.Claimed[Donation]
	visit string // the provider's id of the visit in which the donor authorized
	// repeated: an earlier request made the donation of the same authorization. Its operation is open, or not.
	repeated, open bool
}

// Create records the donation that a donor authorized in the modal, and has the provider send the grant of
// an integrated one. claim may be nil: what was authorized becomes one donation in any case. The same
// request again gets that donation, marked as existing; another one about the same authorization is
// refused.
//
// Faults: the mistakes of the input; daf_amount_not_whole_dollar; merchant_not_associated,
// merchant_not_active, daf_not_eligible, daf_not_enabled, daf_not_enrolled; daf_session_not_found for an
// id that is forged or another merchant's; daf_session_already_used, daf_session_expired;
// daf_amount_mismatch; external_id_taken. When the fund refuses, the donation is recorded as canceled and
// the fault is daf_session_declined; when the provider never got the grant, processor_error.
//
// Once begun, the work goes on even if the caller goes away.
func (s *Service) Create(ctx context.Context, actor authz.Actor, in CreateInput,
	claim *idempotency.Claim) (Result, error) {
	if err := s.audit.Allow(ctx, actor, authz.DonationCreate, audit.Of("daf_donation", "", 0)); err != nil {
		return Result{}, err
	}
	if err := in.Validate().Err(); err != nil {
		return Result{}, err
	}
	if err := WholeDollars(*in.Amount); err != nil {
		return Result{}, err
	}
	of, err := s.deps.Merchants.Find(ctx, actor.ApplicationID, *in.MerchantID)
	if of, err = authz.Seen(actor, of, of.ID, err); fault.HasCode(err, "resource_missing") {
		return Result{}, merchant.ErrNotAssociated
	} else if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTimeout)
	defer cancel()
	out, err := s.claim(ctx, actor, in, claim)
	switch {
	case err != nil:
		return Result{}, err
	case out.Prior != nil:
		return s.flow.Resume(ctx, claim, out.Prior)
	case out.repeated:
		return repeat(out)
	case out.Object.Kind == Nonintegrated:
		return Result{Object: out.Object}, nil
	}
	crash.Point("donation.claimed")
	return s.flow.CarryOut(ctx, out.Object, out.Operation, func(ctx context.Context) (provider.Answer, error) {
		return s.deps.Provider.Grant(ctx,
			provider.Grant{Reference: out.Operation.Reference, VisitID: out.visit, Amount: out.Object.Amount})
	})
}

// repeat answers a request that came before: with what it made, whatever became of that since.
func repeat(c claimed) (Result, error) {
	if c.Object.Failure != nil {
		return Result{}, refusal(c.Object)
	}
	return Result{Object: c.Object, Existing: true, Unknown: c.open}, nil
}

// claim claims the key, takes what was authorized and writes the donation, in one transaction. A refusal leaves nothing
// behind, and neither does a repetition: its key is free again.
func (s *Service) claim(ctx context.Context, actor authz.Actor, in CreateInput, key *idempotency.Claim) (out claimed,
	err error) {
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return out, err
	}
	id := ids.NewDonation(m.Machine)
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) (err error) {
		out, err = s.claimTx(ctx, tx, m, actor, in, id, key)
		return err
	})
	if errors.Is(err, pg.ErrCommit) && out.Proceeds() && !out.repeated {
		// The answer to the commit was lost. If the donation is there it was written, and no other program has
		// begun to send its grant.
		if _, lost := s.find(ctx, actor.ApplicationID, id); lost == nil {
			err = nil
		}
	}
	return out, err
}

func (s *Service) claimTx(ctx context.Context, tx *pg.Tx, m instant.Moment, actor authz.Actor, in CreateInput,
	id ids.Donation, key *idempotency.Claim,
) (out claimed, err error) {
	verdicts, err := idempotency.ClaimTx(ctx, tx, m.Machine, []idempotency.Entry{{Claim: key, ObjectID: id.Bytes()}})
	if err != nil {
		return out, err
	}
	if out.Prior = verdicts[0].Prior; out.Prior != nil || verdicts[0].Err != nil {
		return out, verdicts[0].Err
	}
	// Under its lock: a merchant that is suspended at the same time sends no grant any more.
	of, err := s.deps.Merchants.LockTx(ctx, tx, actor.ApplicationID, *in.MerchantID)
	if err != nil {
		return out, err
	}
	taken, err := s.deps.Workflows.TakeTx(ctx, tx, of.ApplicationID, of.ID, deref(in.WorkflowSessionID),
		deref(in.GrantID))
	switch {
	case errors.Is(err, workflow.ErrUnknown):
		return out, fault.Refused("daf_session_not_found",
			"No donor authorized this for this merchant.").On(in.idParam())
	case err != nil:
		return out, err
	case !taken.DonationID.IsZero():
		idempotency.ReleaseTx(tx, key)
		return s.repeatTx(ctx, tx, of.ApplicationID, taken.DonationID, in)
	}
	if err := fits(of, taken, in, m); err != nil {
		return out, err
	}
	return s.writeNewTx(ctx, tx, m, actor, taken, in, id, key)
}

// fits refuses a donation that what was authorized does not carry, or that the merchant cannot take.
func fits(of merchant.Merchant, taken workflow.Authorized, in CreateInput, m instant.Moment) error {
	if err := of.TakesDonations(); err != nil {
		return err
	}
	switch {
	case m.Machine.After(taken.ExpiresAt):
		return fault.New(fault.KindGone, "daf_session_expired",
			"The donor's authorization has expired. It is valid for 15 minutes.").On(in.idParam())
	case taken.Kind == Integrated && *in.Amount != taken.Amount:
		return fault.Refused("daf_amount_mismatch",
			"The donor authorized another amount. Send the one that the page was told.").On("amount")
	}
	return nil
}

// repeatTx finds the donation that was made of an authorization. Another request than the one that made
// it is refused.
func (s *Service) repeatTx(ctx context.Context, tx *pg.Tx, applicationID int64, id ids.Donation,
	in CreateInput) (out claimed, err error) {
	r, err := s.readTx(ctx, tx, applicationID, id)
	if err != nil {
		return out, err
	}
	hash, err := in.hash()
	if err != nil {
		return out, err
	}
	if !bytes.Equal(hash, r.BodyHash) {
		return out, fault.New(fault.KindConflict, "daf_session_already_used",
			"Another donation was made of this authorization.").
			On(in.idParam()).With("donation_id", id.String())
	}
	open, err := operation.OpenOf(ctx, tx, applicationID, id.Bytes())
	out.Object, out.repeated, out.open = r.Donation, true, len(open) > 0
	return out, err
}

// writeNewTx writes a donation of what was authorized, and opens the operation of an integrated one. One
// that is not integrated is complete with that.
func (s *Service) writeNewTx(ctx context.Context, tx *pg.Tx, m instant.Moment, actor authz.Actor,
	taken workflow.Authorized, in CreateInput, id ids.Donation, claim *idempotency.Claim,
) (out claimed, err error) {
	out.visit = taken.VisitID
	hash, err := in.hash()
	if err != nil {
		return out, err
	}
	d, err := s.draftTx(ctx, tx, m, actor, taken, in, id)
	if err != nil {
		return out, err
	}
	out.Object = d
	if err := insertTx(ctx, tx, row{Donation: d, BodyHash: hash}); err != nil {
		return out, err
	}
	if err := workflow.UsedTx(ctx, tx, taken, id); err != nil {
		return out, err
	}
	if err := emitTx(tx, m, Donation{}, d, causeOf(actor)); err != nil {
		return out, err
	}
	if d.Kind == Nonintegrated {
		return out, claim.StoreTx(tx, id.Bytes(), d, nil)
	}
	out.Operation = operation.New(operation.Operation{ApplicationID: d.ApplicationID, MerchantID: d.MerchantID,
		SubjectID: id.Bytes(),
		Kind:      operation.Grant, Processor: d.Provider.Name, Reference: d.Provider.Reference, Amount: d.Amount,
		Currency: d.Currency, RequestID: actor.RequestID}, claim, m.Machine)
	operation.OpenTx(tx, out.Operation)
	return out, nil
}

// draftTx is the new donation, with the fees that are fixed from now on.
func (s *Service) draftTx(ctx context.Context, tx *pg.Tx, m instant.Moment, actor authz.Actor,
	taken workflow.Authorized, in CreateInput, id ids.Donation) (Donation, error) {
	d := Donation{
		ID: id, Version: 1, ApplicationID: taken.ApplicationID, MerchantID: taken.MerchantID, Kind: taken.Kind,
		Status: Unknown,
		Amount: *in.Amount, Currency: money.USD, WorkflowSessionID: in.WorkflowSessionID, GrantID: in.GrantID,
		Fund: Fund{taken.FundID, taken.FundName}, User: in.user().normal(), Anonymous: deref(in.Anonymous),
		ExternalID: in.ExternalID,
		Metadata:   orEmpty(in.Metadata), RequestID: actor.RequestID, CreatedAt: instant.Of(m.At),
		UpdatedAt: instant.Of(m.At),
	}
	if d.Kind == Integrated {
		var err error
		if d.Fees, err = feesTx(ctx, tx, m, d); err != nil {
			return d, err
		}
		d.Status, d.FeeTotal = Initiated, fee.Total(d.Fees)
		d.Provider = &ProviderRef{Name: s.deps.Provider.Name(), Reference: id.String()}
	}
	d.StatusHistory = []StatusChange{causeOf(actor).entry(d, nil)}
	return s.derive(d), nil
}
