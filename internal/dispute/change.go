package dispute

import (
	"context"
	"fmt"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
)

// change is a dispute under its lock while something happens to it.
type change struct {
	s      *Service
	tx     *pg.Tx
	m      instant.Moment
	source outbox.Source
	// requestID is the request that wants it; zero for an event of the processor.
	requestID ids.Request
	row       row
}

// write makes edit's change the dispute's next version and tells of it. A change that shows nowhere in
// the record is written without a version.
func (c *change) write(edit func(*row) error) error {
	before, after := c.row, c.row
	after.Fees = after.Fees[:len(after.Fees):len(after.Fees)]
	if err := edit(&after); err != nil {
		return err
	}
	previous, err := outbox.Changed(before.Dispute, after.Dispute)
	if err != nil {
		return err
	}
	if len(previous) == 0 {
		c.row = after
		updateTx(c.tx, after)
		return nil
	}
	after.Version, after.UpdatedAt = before.Version+1, instant.Of(c.m.At)
	if after.final() && after.ClosedAt == nil {
		after.ClosedAt = instant.Ptr(c.m.At)
	}
	if previous, err = outbox.Changed(before.Dispute, after.Dispute); err != nil {
		return err
	}
	c.row = after
	updateTx(c.tx, after)
	return c.emit(before.state(), previous)
}

// emit tells of the row as it now is.
func (c *change) emit(from State, previous map[string]any) error {
	d := c.row.Dispute
	event, ok := move(from, d.state())
	if !ok {
		return fmt.Errorf("dispute: no move from %v to %v", from, d.state())
	}
	return outbox.EmitTx(c.tx, c.m, outbox.Event{ApplicationID: d.ApplicationID, MerchantID: d.MerchantID, Type: event,
		ObjectID: d.ID.Bytes(), Position: int64(d.Version), Object: d, Previous: previous, RequestID: c.requestID, Source: c.source})
}

// post queues one posting of a dispute's amount; a repeated name breaks the transaction.
func (c *change) post(d Dispute, name, kind string, debit, credit ledger.Account) {
	ledger.PostTx(c.tx, c.m, ledger.Posting{ApplicationID: d.ApplicationID, MerchantID: d.MerchantID,
		BusinessKey: d.ID.String() + ":" + name, Kind: kind, Debit: debit, Credit: credit, Amount: d.Amount,
		Currency: d.Currency, SourceID: d.ID.Bytes(), ChargeID: d.ChargeID})
}

// lose moves a chargeback to lost or accepted, and its money to the processor.
func (c *change) lose(to Status) error {
	c.post(c.row.Dispute, "lost", "chargeback_lost", ledger.MerchantReserved, ledger.ProcessorReceivable)
	return c.write(func(r *row) error {
		r.Status = to
		return nil
	})
}

// contest is a change that may also change the charge, whose lock is held.
type contest struct {
	change
	charge charge.Locked
	notice processor.DisputeNotice
}

// open writes the dispute that the notice tells of. began is nil if it is told of by its outcome only.
func (c *contest) open(ctx context.Context, kind Kind, began *Kind) error {
	n, now := c.notice, instant.Of(c.m.At)
	c.row = row{BeganAs: began, RemindedAt: toldAlready(n.RespondBy, c.m.At), Dispute: c.s.derive(Dispute{
		ID: ids.NewDispute(c.m.Machine), Version: 1, ApplicationID: c.charge.ApplicationID, MerchantID: c.charge.MerchantID,
		ChargeID: c.charge.ID, Kind: kind, Status: NeedsResponse, Amount: n.Amount, Currency: n.Currency, Reason: n.Reason,
		RespondBy: instant.Of(n.RespondBy), Processor: ProcessorRef{c.s.Processor.Name(), n.ID}, CreatedAt: now, UpdatedAt: now,
	})}
	asks := c.reserve
	if kind == Retrieval {
		asks = c.retrieve
	}
	if err := asks(ctx, &c.row); err != nil {
		return err
	}
	insertTx(c.tx, c.row)
	return c.emit(State{}, nil)
}

// retrieve charges what a retrieval costs; no money of the payer moves.
func (c *contest) retrieve(ctx context.Context, r *row) error { return c.assess(ctx, r, fee.Retrieval) }

// reserve is what a chargeback does at once: refunds that were not sent are canceled, the amount is
// reserved and disputed of the charge, which counts what is left of it, the fee is charged.
func (c *contest) reserve(ctx context.Context, r *row) error {
	l, err := c.s.Refunds.CancelUnsentTx(ctx, c.tx, c.m, c.charge)
	if err != nil {
		return err
	}
	c.charge = l
	r.Disputed = r.Amount
	if err := c.dispute(r.Disputed); err != nil {
		return err
	}
	c.post(r.Dispute, "chargeback", "chargeback", ledger.MerchantAvailable, ledger.MerchantReserved)
	return c.assess(ctx, r, fee.Chargeback)
}

// release gives the amount of a chargeback back from where it is held; the fee stays.
func (c *contest) release(r *row, held ledger.Account) error {
	c.post(r.Dispute, "won", "chargeback_won", held, ledger.MerchantAvailable)
	contested := r.Disputed
	r.Disputed = 0
	return c.dispute(-contested)
}

// dispute changes how much of the charge is disputed.
func (c *contest) dispute(by money.Amount) error {
	if by == 0 {
		return nil
	}
	after, err := c.s.Charges.ChangeTx(c.tx, c.m, c.charge, charge.Change{Disputed: by, Event: "charge.updated", Source: c.source})
	c.charge = after
	return err
}

// assess charges the merchant for what happened, from what is available.
func (c *contest) assess(ctx context.Context, r *row, kind fee.Kind) error {
	merchant := fee.Merchant{ApplicationID: r.ApplicationID, MerchantID: r.MerchantID}
	terms, err := fee.InForceTx(ctx, c.tx, map[fee.Merchant]time.Time{merchant: c.m.At})
	if err != nil {
		return err
	}
	brand := "" // of a bank account
	if card := c.charge.PaymentMethod.CardMethod; card != nil {
		brand = card.Brand
	}
	event := terms[merchant].Event(merchant, r.ID.Bytes(), kind, r.Amount, brand, c.m.At)
	r.Fees = append(r.Fees, event.Lines...)
	r.FeeTotal += fee.Total(event.Lines)
	ledger.PostTx(c.tx, c.m, charge.FeePostings(event, r.ID.String(), r.ChargeID, r.Currency, ledger.MerchantAvailable)...)
	return fee.RecordTx(c.tx, []fee.Event{event})
}
