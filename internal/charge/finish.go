package charge

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"svcpay/internal/calendar"
	"svcpay/internal/fee"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
	"svcpay/internal/token"
)

// finishIn is the outcome of one submitted charge.
type finishIn struct {
	applicationID int64
	id            ids.Charge
	answer        *processor.Answer // nil: it never reached the processor
	source        outbox.Source
}

// finishTx writes outcomes. A charge that is finished already is returned as it is, so that the
// request and the resolver may both arrive here.
func (s *Service) finishTx(ctx context.Context, tx *pg.Tx, ins []finishIn) ([]Charge, error) {
	rows, err := lockTx(ctx, tx, ins)
	if err != nil {
		return nil, err
	}
	now := s.now()
	schedules, err := schedulesTx(ctx, tx, rows, now)
	if err != nil {
		return nil, err
	}
	out := make([]Charge, len(ins))
	for i, in := range ins {
		row, ok := rows[in.id]
		if !ok {
			return nil, fmt.Errorf("charge: %v is gone", in.id)
		}
		before := s.derive(row.Charge)
		if before.Status != Processing {
			if before.Status == Failed && in.answer != nil && in.answer.Approved {
				slog.ErrorContext(ctx, "a charge that was given up was approved after all", "charge_id", in.id.String())
			}
			out[i] = before
			continue
		}
		zone, err := calendar.Zone(row.TimeZone)
		if err != nil {
			return nil, err
		}
		e := apply(before, in.answer, terms{schedules[merchantOf(before)], calendar.Country(row.Country), zone}, now)
		e.charge = s.derive(e.charge)
		if err := s.writeTx(tx, row, before, e, in.source); err != nil {
			return nil, err
		}
		out[i] = e.charge
	}
	return out, nil
}

func merchantOf(c Charge) fee.Merchant {
	return fee.Merchant{ApplicationID: c.ApplicationID, MerchantID: c.MerchantID}
}

func schedulesTx(ctx context.Context, tx *pg.Tx, rows map[ids.Charge]locked, now time.Time) (map[fee.Merchant]fee.Schedule, error) {
	seen := make(map[fee.Merchant]bool)
	var merchants []fee.Merchant
	for _, r := range rows {
		if m := merchantOf(r.Charge); !seen[m] {
			seen[m] = true
			merchants = append(merchants, m)
		}
	}
	return fee.InForceTx(ctx, tx, merchants, now)
}

// effects is everything that an outcome changes.
type effects struct {
	charge    Charge
	operation string // the operation's final state
	fees      []fee.Event
	postings  []ledger.Posting
}

// terms are what a merchant's charges are settled by.
type terms struct {
	schedule fee.Schedule
	country  calendar.Country
	zone     *time.Location
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
		return fail(c, lostFailure, "not_submitted", now)
	case !answer.Approved:
		return fail(c, failureOf(answer.DeclineCode), "declined", now)
	}
	e := effects{charge: c, operation: "approved"}
	e.approve(answer.NetworkTransactionID, t.schedule, now)
	if c.Capture {
		e.capture(t, now)
	}
	return e
}

func fail(c Charge, f Failure, operation string, now time.Time) effects {
	c.Status, c.Failure, c.FailedAt = Failed, &f, instant.Ptr(now)
	return effects{charge: c, operation: operation}
}

func (e *effects) approve(networkID string, schedule fee.Schedule, now time.Time) {
	c := &e.charge
	c.Status, c.AmountAuthorized, c.AuthorizedAt = Authorized, c.Amount, instant.Ptr(now)
	c.AuthorizationExpiresAt = instant.Ptr(now.Add(authorizationLife))
	if networkID != "" {
		c.NetworkTransactionID = &networkID
	}
	e.addFees(fee.Authorized, schedule, now)
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
		Amount: c.AmountCaptured, Currency: c.Currency, SourceID: c.ID})
	e.addFees(fee.Captured, t.schedule, now)
}

// addFees adds what kind costs: lines on the charge, a posting per line, and the record of what
// they were computed from.
func (e *effects) addFees(kind fee.Kind, schedule fee.Schedule, now time.Time) {
	c := &e.charge
	base := c.AmountAuthorized
	if kind == fee.Captured {
		base = c.AmountCaptured
	}
	lines := schedule.Lines(kind, base, c.PaymentMethod.Brand)
	c.Fees = append(c.Fees[:len(c.Fees):len(c.Fees)], lines...)
	c.FeeTotal += fee.Total(lines)
	e.fees = append(e.fees, fee.Event{Merchant: merchantOf(*c), SourceID: c.ID, Kind: kind, Base: base,
		Brand: c.PaymentMethod.Brand, ScheduleID: schedule.ID, Lines: lines, At: now})
	for _, l := range lines {
		e.postings = append(e.postings, ledger.Posting{
			ApplicationID: c.ApplicationID, MerchantID: c.MerchantID, BusinessKey: c.ID.String() + ":fee:" + l.Fee,
			Kind: l.Fee, Debit: ledger.MerchantPending, Credit: ledger.ApplicationFees,
			Amount: l.Amount, Currency: c.Currency, SourceID: c.ID})
	}
}

// writeTx queues the effects, the event and the key's outcome.
func (s *Service) writeTx(tx *pg.Tx, row locked, before Charge, e effects, source outbox.Source) error {
	c := e.charge
	event, ok := move(before.Status, c.Status)
	if !ok {
		return fmt.Errorf("charge: no move from %s to %s", before.Status, c.Status)
	}
	now := c.UpdatedAt.Time
	updateTx(tx, c)
	finishOperationTx(tx, c, e.operation)
	if err := fee.RecordTx(tx, e.fees); err != nil {
		return err
	}
	ledger.PostTx(tx, now, e.postings...)
	if c.Status != Failed {
		token.UsedTx(tx, c.ApplicationID, c.MerchantID, c.Token, keptNetworkID(c), now)
	}
	previous, err := outbox.Changed(before, c)
	if err != nil {
		return err
	}
	if err := outbox.EmitTx(tx, now, outbox.Event{ApplicationID: c.ApplicationID, MerchantID: c.MerchantID,
		Type: event, ObjectID: c.ID.Bytes(), Position: int64(c.Version), Object: c,
		Previous: previous, RequestID: row.RequestID, Source: source}); err != nil {
		return err
	}
	return finishKeyTx(tx, row.IdempotencyKey, c)
}

// keptNetworkID is what later charges of the token refer to: the id of the series' first charge.
func keptNetworkID(c Charge) *string {
	if c.StoredCredential != processor.Initial {
		return nil
	}
	return c.NetworkTransactionID
}

func finishKeyTx(tx *pg.Tx, key *string, c Charge) error {
	if key == nil {
		return nil
	}
	h := held(c.ApplicationID, *key, c.ID)
	if c.Status == Failed {
		return idempotency.FinishTx(tx, h, idempotency.Outcome{Refusal: refusal(c)})
	}
	result, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return idempotency.FinishTx(tx, h, idempotency.Outcome{Result: result})
}

func held(applicationID int64, key string, id ids.Charge) idempotency.Held {
	return idempotency.Held{ApplicationID: applicationID, Key: key, ObjectID: id.Bytes()}
}
