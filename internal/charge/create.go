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

// Created is the answer to a creation.
type Created struct {
	Charge Charge
	// Prior is what an earlier request with the same key left; Charge is then unset unless the
	// outcome is still unknown.
	Prior *idempotency.Prior
}

// createTimeout bounds a creation: the call and the two transactions around it.
const createTimeout = 30 * time.Second

// Create charges a token. A decline is recorded and comes back as a fault with the charge's id.
// A charge that is still in processing has an unknown outcome, which [Service.Resolve] will find
// out. claim may be nil: without a key, nothing protects the caller from their own retries.
//
// Once begun, the work goes on even if the caller goes away.
func (s *Service) Create(ctx context.Context, actor authz.Actor, in CreateInput, claim *idempotency.Claim) (Created, error) {
	if err := s.Check.Check(actor, authz.ChargeCreate); err != nil {
		return Created{}, err
	}
	if err := in.Validate().Err(); err != nil {
		return Created{}, err
	}
	token, _ := ids.ParseToken(*in.Token) // another form is simply no token of this merchant
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTimeout)
	defer cancel()
	m, err := s.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return Created{}, err
	}
	out, err := s.begin(ctx, m, claimIn{applicationID: actor.ApplicationID, token: token, in: in, claim: claim, requestID: actor.RequestID})
	switch {
	case err != nil:
		return Created{}, err
	case out.refused != nil:
		return Created{}, out.refused
	case out.prior != nil:
		return s.resume(ctx, claim, out.prior)
	}
	crash.Point("charge.claimed")
	answer, err := s.submit(ctx, out)
	crash.Point("charge.called")
	if err != nil {
		slog.WarnContext(ctx, "the outcome of a charge is unknown", "charge_id", out.charge.ID.String(), "error", err.Error())
		if err := s.wait(ctx, out.op); err != nil {
			// The charge may be approved all the same: a refusal would invite a second one.
			slog.ErrorContext(ctx, "a charge could not be put off", "charge_id", out.charge.ID.String(), "error", err.Error())
		}
		return Created{Charge: out.charge}, nil
	}
	c, err := s.finish(ctx, operation.Outcome{Operation: out.op, Answer: &answer})
	if err != nil {
		// The processor has decided but we could not write it down: the resolver will.
		slog.ErrorContext(ctx, "a charge could not be finished", "charge_id", out.charge.ID.String(), "error", err.Error())
		return Created{Charge: out.charge}, nil
	}
	crash.Point("charge.finished")
	return answered(c)
}

func answered(c Charge) (Created, error) {
	if c.Status == Failed {
		return Created{}, refusal(c)
	}
	return Created{Charge: c}, nil
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
		if _, lost := s.find(ctx, in.applicationID, out[0].charge.ID); lost == nil {
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
	card, err := s.Vault.Open(vault.Ref{Token: c.Token, ApplicationID: c.ApplicationID, MerchantID: c.MerchantID}, out.sealed)
	if err != nil {
		return processor.Answer{}, err
	}
	a := processor.Authorization{
		Reference: c.Processor.Reference, Account: processor.Account(c.ApplicationID, c.MerchantID), Amount: c.Amount, Currency: c.Currency, Capture: c.Capture,
		Descriptor: descriptor(*out.payer.Descriptor, c.StatementSuffix), Stored: c.StoredCredential,
		NetworkTransactionID: or(out.payer.NetworkID, ""),
		Card: processor.Card{PAN: card.PAN, CVC: card.CVC, ExpMonth: c.PaymentMethod.ExpMonth,
			ExpYear: c.PaymentMethod.ExpYear, Line1: c.Billing.AddressLine1, Zip: c.Billing.AddressZip},
	}
	return operation.Call(ctx, out.op, s.Clock.Machine(), func(ctx context.Context) (processor.Answer, error) {
		return s.Processor.Authorize(ctx, a)
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

func (s *Service) finish(ctx context.Context, in operation.Outcome) (Charge, error) {
	var out []Charge
	at, err := s.moments(ctx, []operation.Outcome{in})
	if err != nil {
		return Charge{}, err
	}
	err = pg.InTx(ctx, s.Pool, func(tx *pg.Tx) (err error) {
		out, err = s.finishTx(ctx, tx, at, []operation.Outcome{in}, outbox.API)
		return err
	})
	if err != nil {
		return Charge{}, err
	}
	return out[0], nil
}

// Finish writes what became of authorizations whose answer was lost.
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
func (s *Service) resume(ctx context.Context, claim *idempotency.Claim, prior *idempotency.Prior) (Created, error) {
	if prior.State == idempotency.Claimed {
		if s.Clock.Machine().Sub(prior.CreatedAt) < inFlight {
			return Created{}, idempotency.InUse()
		}
		if err := s.Operations.ResolveSubject(ctx, claim.ApplicationID, prior.ObjectID); err != nil {
			return Created{}, err
		}
		var err error
		if prior, err = idempotency.Find(ctx, s.Pool, claim); err != nil {
			return Created{}, err
		}
	}
	if prior != nil && prior.State == idempotency.Accepted {
		c, err := s.find(ctx, claim.ApplicationID, ids.ChargeFrom(prior.ObjectID))
		if err != nil || c.Status == Processing {
			return Created{Charge: c, Prior: prior}, err
		}
		// It became known between the two reads, and the key's outcome with it.
		if prior, err = idempotency.Find(ctx, s.Pool, claim); err != nil {
			return Created{}, err
		}
	}
	if prior == nil || prior.State != idempotency.Done {
		return Created{}, idempotency.InUse()
	}
	return Created{Prior: prior}, nil
}
