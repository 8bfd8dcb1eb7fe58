package charge

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"svcpay/internal/calendar"
	"svcpay/internal/fee"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/operation"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
	"svcpay/internal/token"
)

// finishTx writes outcomes of authorizations. A charge that is finished already is returned as it is,
// so that the request and the resolver may both arrive here.
func (s *Service) finishTx(ctx context.Context, tx *pg.Tx, at moments, ins []operation.Outcome, source outbox.Source) ([]Charge, error) {
	rows, err := lockTx(ctx, tx, ins)
	if err != nil {
		return nil, err
	}
	schedules, err := schedulesTx(ctx, tx, rows, at)
	if err != nil {
		return nil, err
	}
	out := make([]Charge, len(ins))
	for i, in := range ins {
		row, ok := rows[in.ChargeID]
		if !ok {
			return nil, fmt.Errorf("charge: %v is gone", in.ChargeID)
		}
		before := s.derive(row.Charge)
		if before.Status != Processing {
			out[i] = before
			continue
		}
		zone, err := calendar.Zone(row.TimeZone)
		if err != nil {
			return nil, err
		}
		m := at[in.ApplicationID]
		e := apply(before, in.Answer, terms{schedules[merchantOf(before)], calendar.Country(row.Country), zone}, m.At)
		e.charge = s.derive(e.charge)
		if err := s.writeTx(tx, m, in, before, e, source); err != nil {
			return nil, err
		}
		out[i] = e.charge
	}
	return out, nil
}

// moments are the present of several applications.
type moments map[int64]instant.Moment

// moments reads the clocks of the outcomes' applications, before a transaction holds a connection.
func (s *Service) moments(ctx context.Context, ins []operation.Outcome) (moments, error) {
	out := make(moments)
	for _, in := range ins {
		m, err := s.Clock.Moment(ctx, in.ApplicationID)
		if err != nil {
			return nil, err
		}
		out[in.ApplicationID] = m
	}
	return out, nil
}

func merchantOf(c Charge) fee.Merchant {
	return fee.Merchant{ApplicationID: c.ApplicationID, MerchantID: c.MerchantID}
}

func schedulesTx(ctx context.Context, tx *pg.Tx, rows map[ids.Charge]locked, at moments) (map[fee.Merchant]fee.Terms, error) {
	wanted := make(map[fee.Merchant]time.Time)
	for _, r := range rows {
		wanted[merchantOf(r.Charge)] = at[r.ApplicationID].At
	}
	return fee.InForceTx(ctx, tx, wanted)
}

// effects is everything that an outcome changes.
type effects struct {
	charge   Charge
	fees     []fee.Event
	postings []ledger.Posting
}

// terms are what a merchant's charges are settled by.
type terms struct {
	fees    fee.Terms
	country calendar.Country
	zone    *time.Location
}

// settlementDays is how many business days after its capture a card payment becomes available.
const settlementDays = 2

// apply computes the effects of an outcome on a charge in processing. It reads no clock and no
// database, so that every rule can be tested by itself.
func apply(c Charge, answer *processor.Answer, t terms, now time.Time) effects {
	c.Version++
	c.UpdatedAt = instant.Of(now)
	if answer != nil {
		c.PaymentMethod.Checks = &answer.Checks
	}
	switch {
	case answer == nil:
		return fail(c, lostFailure, now)
	case !answer.Approved:
		return fail(c, failureOf(answer.DeclineCode), now)
	}
	e := effects{charge: c}
	e.approve(answer.NetworkTransactionID, t, now)
	if c.Capture {
		e.capture(t, now)
	}
	return e
}

func fail(c Charge, f Failure, now time.Time) effects {
	c.Status, c.Failure, c.FailedAt = Failed, &f, instant.Ptr(now)
	return effects{charge: c}
}

func (e *effects) approve(networkID string, t terms, now time.Time) {
	c := &e.charge
	c.Status, c.AmountAuthorized, c.AuthorizedAt = Authorized, c.Amount, instant.Ptr(now)
	c.AuthorizationExpiresAt = instant.Ptr(now.Add(authorizationLife))
	if networkID != "" {
		c.NetworkTransactionID = &networkID
	}
	e.addFees(fee.Authorized, t, now)
}

func (e *effects) capture(t terms, now time.Time) {
	c := &e.charge
	c.Status, c.AmountCaptured, c.CapturedAt = Captured, c.AmountAuthorized, instant.Ptr(now)
	c.AuthorizationExpiresAt = nil
	on := instant.DateOf(t.country.AddBusinessDays(now.In(t.zone), settlementDays))
	c.AvailableOn = &on
	e.postings = append(e.postings, ledger.Posting{
		ApplicationID: c.ApplicationID, MerchantID: c.MerchantID, BusinessKey: c.ID.String() + ":capture",
		Kind: "capture", Debit: ledger.ProcessorReceivable, Credit: ledger.MerchantPending,
		Amount: c.AmountCaptured, Currency: c.Currency, SourceID: c.ID.Bytes(), ChargeID: c.ID})
	e.addFees(fee.Captured, t, now)
}

// addFees adds what kind costs: lines on the charge, a posting per line, and the record of what
// they were computed from.
func (e *effects) addFees(kind fee.Kind, t terms, now time.Time) {
	c := &e.charge
	base := c.AmountAuthorized
	if kind == fee.Captured {
		base = c.AmountCaptured
	}
	event := t.fees.Event(merchantOf(*c), c.ID.Bytes(), kind, base, c.PaymentMethod.Brand, now)
	c.Fees = append(c.Fees[:len(c.Fees):len(c.Fees)], event.Lines...)
	c.FeeTotal += fee.Total(event.Lines)
	e.fees = append(e.fees, event)
	for _, l := range event.Lines {
		e.postings = append(e.postings, ledger.Posting{
			ApplicationID: c.ApplicationID, MerchantID: c.MerchantID, BusinessKey: c.ID.String() + ":fee:" + l.Fee,
			Kind: l.Fee, Debit: ledger.MerchantPending, Credit: ledger.ApplicationFees,
			Amount: l.Amount, Currency: c.Currency, SourceID: c.ID.Bytes(), ChargeID: c.ID})
	}
}

// writeTx queues the effects, the event and the key's outcome.
func (s *Service) writeTx(tx *pg.Tx, m instant.Moment, o operation.Outcome, before Charge, e effects, source outbox.Source) error {
	c := e.charge
	event, ok := move(before.Status, c.Status)
	if !ok {
		return fmt.Errorf("charge: no move from %s to %s", before.Status, c.Status)
	}
	updateTx(tx, c)
	operation.CloseTx(tx, o.ID, operation.StateOf(o.Answer), m.Machine)
	if err := fee.RecordTx(tx, e.fees); err != nil {
		return err
	}
	ledger.PostTx(tx, m, e.postings...)
	if c.Status != Failed {
		token.UsedTx(tx, c.ApplicationID, c.MerchantID, c.Token, keptNetworkID(c), m.At)
	}
	previous, err := outbox.Changed(before, c)
	if err != nil {
		return err
	}
	if err := outbox.EmitTx(tx, m, outbox.Event{ApplicationID: c.ApplicationID, MerchantID: c.MerchantID,
		Type: event, ObjectID: c.ID.Bytes(), Position: int64(c.Version), Object: c,
		Previous: previous, RequestID: o.RequestID, Source: source}); err != nil {
		return err
	}
	return finishKeyTx(tx, o.Operation, c)
}

// keptNetworkID is what later charges of the token refer to: the id of the series' first charge.
func keptNetworkID(c Charge) *string {
	if c.StoredCredential != processor.Initial {
		return nil
	}
	return c.NetworkTransactionID
}

func finishKeyTx(tx *pg.Tx, o operation.Operation, c Charge) error {
	if o.IdempotencyKey == nil {
		return nil
	}
	if c.Status == Failed {
		return idempotency.FinishTx(tx, o.Held(), idempotency.Outcome{Refusal: refusal(c)})
	}
	result, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return idempotency.FinishTx(tx, o.Held(), idempotency.Outcome{Result: result})
}
