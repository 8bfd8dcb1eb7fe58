package charge

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"svcpay/internal/authz"
	"svcpay/internal/crash"
	"svcpay/internal/fault"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/operation"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
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
func (s *Service) Create(ctx context.Context, actor authz.Actor, in CreateInput, claim *idempotency.Claim) (Result, error) {
	if err := s.Check.Check(actor, authz.ChargeCreate); err != nil {
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
	m, err := s.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return Result{}, err
	}
	out, err := s.begin(ctx, m, claimIn{applicationID: actor.ApplicationID, token: token, in: in, claim: claim, requestID: actor.RequestID})
	switch {
	case err != nil:
		return Result{}, err
	case out.refused != nil:
		return Result{}, out.refused
	case out.prior != nil:
		return s.flow.Resume(ctx, claim, out.prior)
	}
	crash.Point("charge.claimed")
	return s.flow.CarryOut(ctx, out.charge, out.op, func(ctx context.Context) (processor.Answer, error) { return s.submit(ctx, out) })
}

func (s *Service) begin(ctx context.Context, m instant.Moment, in claimIn) (claimOut, error) {
	var out []claimOut
	err := pg.InTx(ctx, s.Pool, func(tx *pg.Tx) (err error) {
		if out, err = s.claimTx(ctx, tx, m, []claimIn{in}); err == nil {
			s.callEarly(ctx, out[0])
		}
		return err
	})
	if errors.Is(err, pg.ErrCommit) && out[0].submits() {
		// The answer to the commit was lost. If the charge is there it happened, and nobody but us
		// can submit it: the card's code left the database with it.
		if _, lost := s.Find(ctx, in.applicationID, out[0].charge.ID); lost == nil {
			err = nil
		}
	}
	if err != nil {
		return claimOut{}, err
	}
	return out[0], nil
}

// submit calls the processor once. Any error means that the outcome is unknown.
func (s *Service) submit(ctx context.Context, out claimOut) (processor.Answer, error) {
	c := out.charge
	if answer, err, ok := calledEarly(c.ID); ok {
		return answer, err
	}
	ref := vault.Ref{Token: c.Token, ApplicationID: c.ApplicationID, MerchantID: c.MerchantID}
	account, shown := processor.Account(c.ApplicationID, c.MerchantID), descriptor(*out.payer.Descriptor, c.StatementSuffix)
	if c.Type != Card {
		number, err := s.Vault.OpenAccount(ref, out.sealed)
		if err != nil {
			return processor.Answer{}, err
		}
		return s.Processor.Debit(ctx, processor.Debit{Reference: c.Processor.Reference, Account: account, Amount: c.Amount,
			Currency: c.Currency, Descriptor: shown, Bank: out.payer.bank(c.Type, number)})
	}
	card, err := s.Vault.Open(ref, out.sealed)
	if err != nil {
		return processor.Answer{}, err
	}
	return s.Processor.Authorize(ctx, processor.Authorization{
		Reference: c.Processor.Reference, Account: account, Amount: c.Amount, Currency: c.Currency, Capture: c.Capture,
		Descriptor: shown, Stored: c.StoredCredential, NetworkTransactionID: or(out.payer.NetworkID, ""),
		Card: processor.Card{PAN: card.PAN, CVC: card.CVC, Cryptogram: card.Cryptogram, ExpMonth: c.PaymentMethod.ExpMonth,
			ExpYear: c.PaymentMethod.ExpYear, Line1: c.Billing.AddressLine1, Zip: c.Billing.AddressZip},
	})
}

// maxDescriptor is what card statements have room for, in characters.
const maxDescriptor = 22

// descriptor is what the payer's statement shows: the merchant's own text, shortened to leave room
// for the charge's suffix.
func descriptor(merchant string, suffix *string) string {
	if suffix == nil {
		return merchant
	}
	room := maxDescriptor - len("* ") - utf8.RuneCountInString(*suffix)
	short := []rune(merchant)
	return strings.TrimSpace(string(short[:min(len(short), room)])) + "* " + *suffix
}

func (s *Service) finish(ctx context.Context, in operation.Outcome) (Charge, *fault.Error, error) {
	var out []finished
	at, err := s.moments(ctx, []operation.Outcome{in})
	if err != nil {
		return Charge{}, nil, err
	}
	err = pg.InTx(ctx, s.Pool, func(tx *pg.Tx) (err error) {
		out, err = s.finishTx(ctx, tx, at, []operation.Outcome{in}, in.Source)
		return err
	})
	if err != nil {
		return Charge{}, nil, err
	}
	return out[0].charge, out[0].refusal, nil
}

// Finish writes what became of calls whose answer was lost.
func (s *Service) Finish(ctx context.Context, outcomes []operation.Outcome) error {
	at, err := s.moments(ctx, outcomes)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, s.Pool, func(tx *pg.Tx) error {
		_, err := s.finishTx(ctx, tx, at, outcomes, outbox.Job)
		return err
	})
}
