package charge

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/processor"
	"svcpay/internal/testing/crash"
	"svcpay/internal/vault"
)

// Result is the answer to a request that changes a charge.
type Result = idempotency.Result[Charge]

// createTimeout bounds a creation: the call and the two transactions around it.
const createTimeout = 30 * time.Second

// Create charges a token. A decline is recorded and comes back as a fault with the charge's id.
// A charge that is still in processing has an unknown outcome, which [Service.Resolve] will find
// out. claim may be nil: without a key, nothing protects the caller from their own retries.
//
// Once begun, the work goes on even if the caller goes away.
func (s *Service) Create(ctx context.Context, actor authz.Actor, in CreateInput,
	claim *idempotency.Claim) (Result, error) {
	if err := s.deps.Check.Check(actor, authz.ChargeCreate); err != nil {
		return Result{}, err
	}
	if err := in.Validate().Err(); err != nil {
		return Result{}, err
	}
	if !actor.Sees(*in.MerchantID) {
		return Result{}, merchant.ErrNotAssociated
	}
	token, _ := ids.ParseToken(*in.Token) // another form is simply no token of this merchant
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTimeout)
	defer cancel()
	out, err := s.claims.Do(ctx, request{applicationID: actor.ApplicationID, token: token, in: in, claim: claim,
		id: actor.RequestID})
	switch {
	case err != nil:
		return Result{}, err
	case out.Refused != nil:
		return Result{}, out.Refused
	case out.Prior != nil:
		return s.flow.Resume(ctx, claim, out.Prior)
	case out.rules.Blocked != "":
		return Result{}, refusal(out.Object)
	}
	crash.Point("charge.claimed")
	return s.carryOutAll(ctx, out.Object, out.Operation, func(ctx context.Context) (processor.Answer, error) {
		answer, err := s.submit(ctx, out)
		if errors.Is(err, vault.ErrSealed) {
			err = errors.Join(err, s.reportUnreadable(ctx, actor, out.Object))
		}
		return answer, err
	})
}

// reportUnreadable has an operator look at a token that could not be charged because its data does not open.
func (s *Service) reportUnreadable(ctx context.Context, actor authz.Actor, c Charge) error {
	s.deps.Vault.ReportUnreadable(ctx,
		vault.Ref{Token: c.Token, ApplicationID: c.ApplicationID, MerchantID: c.MerchantID})
	return s.audit.Failed(ctx, actor, authz.ChargeCreate, audit.Of("token", c.Token.String(), c.MerchantID),
		unreadable{c.ID})
}

// unreadable is what the audit log keeps of such a charge.
type unreadable struct {
	Charge ids.Charge `json:"unreadable_for"`
}

// submit calls the processor once. An error means that the outcome is unknown, unless it is [operation.ErrNotSent].
func (s *Service) submit(ctx context.Context, out claimed) (processor.Answer, error) {
	c := out.Object
	ref := vault.Ref{Token: c.Token, ApplicationID: c.ApplicationID, MerchantID: c.MerchantID}
	account, shown := out.Operation.Account(), descriptor(*out.payer.Descriptor, c.StatementSuffix,
		s.deps.Processors.Terms(c.Processor.Name).StatementLength)
	if c.Type != Card {
		number, err := s.deps.Vault.OpenAccount(ref, out.sealed)
		if err != nil {
			return processor.Answer{}, operation.NotSent(err)
		}
		return s.deps.Processors.Debit(ctx,
			processor.Debit{Reference: c.Processor.Reference, Account: account, Amount: c.Amount,
				Currency: c.Currency, Descriptor: shown, Bank: out.payer.bank(c.Type, number),
				Verification: out.payer.verification(account)})
	}
	card, err := s.deps.Vault.Open(ref, out.sealed)
	if err != nil {
		return processor.Answer{}, operation.NotSent(err)
	}
	return s.deps.Processors.Authorize(ctx, processor.Authorization{
		Reference: c.Processor.Reference, Account: account, Amount: c.Amount, Currency: c.Currency,
		Capture:    c.Capture && len(out.rules.Then) == 0, // else the rules come first
		OnBehalfOf: out.payer.Routes.OnBehalfOf(account),
		Descriptor: shown, Stored: c.StoredCredential, NetworkTransactionID: or(out.payer.NetworkID, ""),
		Card: processor.Card{PAN: card.PAN, CVC: card.CVC, Cryptogram: card.Cryptogram, ECI: card.ECI,
			Wallet: or(c.PaymentMethod.Wallet, ""), ExpMonth: c.PaymentMethod.ExpMonth,
			ExpYear: c.PaymentMethod.ExpYear, Line1: c.Billing.AddressLine1, Zip: c.Billing.AddressZip},
	})
}
