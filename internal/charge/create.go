package charge

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"svcpay/internal/authz"
	"svcpay/internal/crash"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
	"svcpay/internal/vault"
)

// Result is the answer to a request that changes a charge.
type Result struct {
	Charge Charge
	// Prior is what an earlier request with the same key left; Charge is then unset unless the
	// outcome is still unknown.
	Prior *idempotency.Prior
	// Unknown: the processor's answer is missing. Charge is as it was before.
	Unknown bool
}

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
		return s.resume(ctx, claim, out.prior)
	}
	crash.Point("charge.claimed")
	return s.carryOut(ctx, out.charge, out.op, func(ctx context.Context) (processor.Answer, error) { return s.submit(ctx, out) })
}

// carryOut makes the call of an operation that is written down, and writes its outcome.
func (s *Service) carryOut(ctx context.Context, c Charge, o operation.Operation, call func(context.Context) (processor.Answer, error)) (Result, error) {
	answer, err := operation.Call(ctx, o, s.Clock.Machine(), call)
	crash.Point("charge.called")
	if err != nil {
		slog.WarnContext(ctx, "the outcome of a call is unknown", "kind", string(o.Kind), "charge_id", c.ID.String(), "error", err.Error())
		if err := s.wait(ctx, o); err != nil {
			// The charge may be approved all the same: a refusal would invite a second one.
			slog.ErrorContext(ctx, "a call could not be put off", "charge_id", c.ID.String(), "error", err.Error())
		}
		return Result{Charge: c, Unknown: true}, nil
	}
	f, err := s.finish(ctx, operation.Outcome{Operation: o, Answer: &answer})
	if err != nil {
		// The processor has decided but we could not write it down: the resolver will.
		slog.ErrorContext(ctx, "a call could not be finished", "kind", string(o.Kind), "charge_id", c.ID.String(), "error", err.Error())
		return Result{Charge: c, Unknown: true}, nil
	}
	crash.Point("charge.finished")
	if f.refusal != nil {
		return Result{}, f.refusal
	}
	return Result{Charge: f.charge}, nil
}

func (s *Service) begin(ctx context.Context, m instant.Moment, in claimIn) (claimOut, error) {
	var out []claimOut
	err := pg.InTx(ctx, s.Pool, func(tx *pg.Tx) (err error) {
		out, err = s.claimTx(ctx, tx, m, []claimIn{in})
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
		Card: processor.Card{PAN: card.PAN, CVC: card.CVC, ExpMonth: c.PaymentMethod.ExpMonth,
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

func (s *Service) finish(ctx context.Context, in operation.Outcome) (finished, error) {
	var out []finished
	at, err := s.moments(ctx, []operation.Outcome{in})
	if err != nil {
		return finished{}, err
	}
	err = pg.InTx(ctx, s.Pool, func(tx *pg.Tx) (err error) {
		out, err = s.finishTx(ctx, tx, at, []operation.Outcome{in}, outbox.API)
		return err
	})
	if err != nil {
		return finished{}, err
	}
	return out[0], nil
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
// have died: then this request finds out what became of its charge.
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
		c, err := s.Find(ctx, claim.ApplicationID, ids.ChargeFrom(prior.ObjectID))
		if err != nil {
			return Result{}, err
		}
		// Read again: it may have become known, and then the charge that was read is none to wait for.
		if prior, err = idempotency.Find(ctx, s.Pool, claim); err != nil {
			return Result{}, err
		}
		if prior != nil && prior.State == idempotency.Accepted {
			return Result{Charge: c, Prior: prior, Unknown: true}, nil
		}
	}
	if prior == nil || prior.State != idempotency.Done {
		return Result{}, idempotency.InUse()
	}
	return Result{Prior: prior}, nil
}
