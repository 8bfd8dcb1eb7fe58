package charge

import (
	"errors"
	"time"

	"svcpay/internal/charge/rule"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/processor"
	"svcpay/internal/vault"
)

// effects is everything that an outcome changes. Functions that compute effects read no clock and no
// database, so that every rule can be tested on its own.
type effects struct {
	charge   Charge
	fees     []fee.Event
	postings []ledger.Posting
	// release: what is pending of the charge becomes available.
	release bool
	// disable: the token can be charged no more; the text says why.
	disable string
	// next is the call that follows this one: a capture of what was held, or a reversal; "" for none.
	next operation.Kind
	// refusal is what the request that asked for it is told instead of the charge.
	refusal *fault.Error
}

// terms are what a merchant's charges are settled by.
type terms struct {
	fees      fee.Terms
	country   calendar.Country
	zone      *time.Location
	processor processor.Terms
}

// changed is the charge's next version.
func changed(c Charge, now time.Time) Charge {
	c.Version++
	c.UpdatedAt = instant.Of(now)
	return c
}

// conclude computes the effects of an operation's outcome. False: the charge has moved on already,
// and nothing changes.
func conclude(c Charge, o operation.Outcome, t terms, now time.Time) (effects, bool) {
	switch o.Kind {
	case operation.Authorize, operation.Debit:
		if c.Status != Processing {
			return effects{charge: c}, false
		}
		e := submitted(c, o, t, now)
		if errors.Is(o.Unsent, vault.ErrSealed) {
			e.charge.Failure = &unreadableFailure
		}
		return e, true
	case operation.Capture:
		if c.Status == Processing {
			return completed(c, o, t, now), true
		}
		if c.Status != Authorized {
			return effects{charge: c}, false
		}
		if o.Answer == nil || !o.Answer.Approved {
			return effects{charge: c, refusal: captureRefused(c, o.Answer)}, true
		}
		e := effects{charge: changed(c, now)}
		e.capture(o.Amount, t, now)
		return e, true
	case operation.Void:
		if c.Status != Authorized && c.Status != Pending {
			return effects{charge: c}, false
		}
		if o.Answer == nil || !o.Answer.Approved {
			return effects{charge: c, refusal: voidRefused(c, o.Answer)}, true
		}
		return voided(c, o.Note, now), true
	}
	return effects{charge: c}, false
}

// submitted is the outcome of a charge in processing.
func submitted(c Charge, o operation.Outcome, t terms, now time.Time) effects {
	answer := o.Answer
	c = changed(c, now)
	if answer != nil && c.Type == Card {
		c.PaymentMethod = c.PaymentMethod.withChecks(answer.Checks)
	}
	switch {
	case answer == nil:
		return effects{charge: failed(c, lostFailure, now)}
	case !answer.Approved && c.Type == Card:
		return effects{charge: failed(c, failureOf(answer.DeclineCode), now)}
	case !answer.Approved && answer.DeclineCode != unusable:
		return effects{charge: failed(c, debitFailure, now)}
	case !answer.Approved:
		e := effects{charge: failed(c, bankFailure, now)}
		e.addFees(fee.BankFailed, c.Amount, ledger.MerchantAvailable, t, now)
		return e
	}
	e := effects{charge: c}
	switch then := rule.Noted(o.Note); {
	case c.Type != Card:
		e.accept(t, now)
	case rule.Broken(then, answer.Checks) != "":
		e.charge, e.next = failed(c, blockedFailure(rule.Broken(then, answer.Checks)), now), operation.Reverse
	case c.Capture && len(then) > 0:
		e.hold(*answer)
	case c.Capture:
		e.approve(*answer, t, now)
		e.capture(c.Amount, t, now)
	default:
		e.approve(*answer, t, now)
	}
	return e
}

func failed(c Charge, f Failure, now time.Time) Charge {
	c.Status, c.Failure, c.FailedAt, c.NextStepAt = Failed, &f, instant.Ptr(now), nil
	return c
}

// hold has an amount captured that the processor holds. The charge stays in processing until then.
func (e *effects) hold(answer processor.Answer) {
	e.next = operation.Capture
	if answer.NetworkTransactionID != "" {
		e.charge.NetworkTransactionID = &answer.NetworkTransactionID
	}
}

// completed is the outcome of a charge in processing whose amount was held first. If it was not captured, it is held
// no longer.
func completed(c Charge, o operation.Outcome, t terms, now time.Time) effects {
	c = changed(c, now)
	switch {
	case o.Answer == nil:
		return effects{charge: failed(c, heldFailure, now), next: operation.Reverse}
	case !o.Answer.Approved:
		return effects{charge: failed(c, failureOf("processing_error"), now), next: operation.Reverse}
	}
	e := effects{charge: c}
	e.approve(processor.Answer{}, t, now)
	e.capture(c.Amount, t, now)
	return e
}

// approve holds the amount of a card, until the processor says that it cannot be captured any more.
func (e *effects) approve(answer processor.Answer, t terms, now time.Time) {
	c := &e.charge
	c.Status, c.AmountAuthorized, c.AuthorizedAt = Authorized, c.Amount, instant.Ptr(now)
	expires := answer.ExpiresAt
	if expires.IsZero() {
		expires = now.Add(t.processor.AuthorizationLife)
	}
	c.AuthorizationExpiresAt = instant.Ptr(expires)
	c.NextStepAt = c.AuthorizationExpiresAt
	if answer.NetworkTransactionID != "" {
		c.NetworkTransactionID = &answer.NetworkTransactionID
	}
	e.addFees(fee.Authorized, c.AmountAuthorized, ledger.MerchantPending, t, now)
}

// capture takes an amount of a card; the rest of the authorization is released.
func (e *effects) capture(amount money.Amount, t terms, now time.Time) {
	c := &e.charge
	c.Status, c.AuthorizationExpiresAt = Captured, nil
	e.take(amount, "capture", now, t.processor.CardSettlementDays, t, now)
	e.addFees(fee.Captured, amount, ledger.MerchantPending, t, now)
}

// accept notes that a bank debit was accepted for submission. Its days begin with the batch that takes it to the bank,
// as those do within which the bank may return it.
func (e *effects) accept(t terms, now time.Time) {
	c := &e.charge
	c.Status, c.AmountAuthorized, c.AuthorizedAt = Pending, c.Amount, instant.Ptr(now)
	e.take(c.Amount, "debit", t.country.BatchAt(now, t.zone, t.processor.BatchHour),
		t.processor.BankSettlementDays, t, now)
}

// take books an amount as the merchant's, available that many business days after a time.
func (e *effects) take(amount money.Amount, kind string, from time.Time, days int, t terms, now time.Time) {
	c := &e.charge
	c.AmountCaptured, c.CapturedAt = amount, instant.Ptr(now)
	c.AmountDisputed = min(c.AmountContested, amount) // a chargeback may have been quicker than the answer to us
	day := t.country.AddBusinessDays(from.In(t.zone), days)
	on := instant.DateOf(day)
	c.AvailableOn, c.NextStepAt = &on, instant.Ptr(day)
	e.post(kind, ledger.ProcessorReceivable, ledger.MerchantPending, amount)
}

// voided releases a hold, or takes a debit back that was not batched.
func voided(c Charge, reason *string, now time.Time) effects {
	bank := c.Status == Pending
	c = changed(c, now)
	c.Status, c.VoidedAt, c.VoidReason = Voided, instant.Ptr(now), reason
	c.AuthorizationExpiresAt, c.AvailableOn, c.NextStepAt = nil, nil, nil
	e := effects{charge: c, release: !bank}
	if bank {
		e.takeBack()
	}
	return e
}

// expired ends an authorization that was not captured in time. Its fee and the time at which it ended stay.
func expired(c Charge, now time.Time) effects {
	c = changed(c, now)
	c.Status, c.ExpiredAt = Expired, instant.Ptr(now)
	c.NextStepAt = nil
	return effects{charge: c, release: true}
}

// settled makes the money of a charge available.
func settled(c Charge, t terms, now time.Time) effects {
	bank := c.Status == Pending
	c = changed(c, now)
	c.Status, c.SettledAt, c.NextStepAt = Settled, instant.Ptr(now), nil
	e := effects{charge: c, release: true}
	if bank {
		e.addFees(fee.BankSettled, c.AmountCaptured, ledger.MerchantAvailable, t, now)
	}
	return e
}

// addFees adds what kind costs: lines on the charge, a posting per line, and the record of what
// they were computed from.
func (e *effects) addFees(kind fee.Kind, base money.Amount, from ledger.Account, t terms, now time.Time) {
	c := &e.charge
	event := t.fees.Event(merchantOf(*c), c.ID.Bytes(), kind, base, c.PaymentMethod.brand(), now)
	c.Fees = append(c.Fees[:len(c.Fees):len(c.Fees)], event.Lines...)
	c.FeeTotal += fee.Total(event.Lines)
	e.fees = append(e.fees, event)
	e.postings = append(e.postings, FeePostings(event, c.ID.String(), c.ID, c.Currency, from)...)
}

// FeePostings are the ledger's side of an assessed event: what the merchant pays the application from
// one of its accounts, and what the application pays the service. source is the printed id of the
// object that the fees are for, charge the charge that it concerns.
func FeePostings(event fee.Event, source string, charge ids.Charge, currency money.Currency,
	from ledger.Account) []ledger.Posting {
	p := ledger.Posting{ApplicationID: event.ApplicationID, MerchantID: event.MerchantID, Currency: currency,
		SourceID: event.SourceID, ChargeID: charge}
	var out []ledger.Posting
	for _, l := range event.Lines {
		p.BusinessKey, p.Kind, p.Debit, p.Credit, p.Amount = source+":fee:"+
			l.Fee, l.Fee, from, ledger.ApplicationFees, l.Amount
		out = append(out, p)
	}
	for _, l := range event.ServiceLines {
		p.BusinessKey, p.Kind = source+":service_fee:"+l.Fee, "service_"+l.Fee
		p.Debit, p.Credit, p.Amount = ledger.ApplicationFees, ledger.ServiceFees, l.Amount
		out = append(out, p)
	}
	return out
}

// takeBack reverses the booking of a debit that will not settle.
func (e *effects) takeBack() {
	c := &e.charge
	e.post("debit_reversed", ledger.MerchantPending, ledger.ProcessorReceivable, c.AmountCaptured)
	c.AmountCaptured, c.AmountRefundPending = 0, 0 // waiting refunds are canceled by their own sweeper
	c.AvailableOn = nil
	c.AmountDisputed = 0 // nothing is left to dispute
}

func (e *effects) post(kind string, debit, credit ledger.Account, amount money.Amount) {
	c := e.charge
	e.postings = append(e.postings, ledger.Posting{ApplicationID: c.ApplicationID, MerchantID: c.MerchantID,
		BusinessKey: c.ID.String() + ":" + kind, Kind: kind, Debit: debit, Credit: credit, Amount: amount,
		Currency: c.Currency, SourceID: c.ID.Bytes(), ChargeID: c.ID})
}
