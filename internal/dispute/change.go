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
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
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

// write makes edit's change the dispute's next version and reports it. A change that shows nowhere in
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

// emit reports the row as it now is.
func (c *change) emit(from State, previous map[string]any) error {
	d := c.row.Dispute
	event, ok := move(from, d.state())
	if !ok {
		return fmt.Errorf("dispute: no move from %v to %v", from, d.state())
	}
	return outbox.EmitTx(c.tx, c.m, outbox.Event{ApplicationID: d.ApplicationID, MerchantID: d.MerchantID, Type: event,
		ObjectID: d.ID.Bytes(), Position: int64(d.Version), Object: d, Previous: previous, RequestID: c.requestID,
		Source: c.source})
}

// post queues one posting of a dispute's amount; a repeated name breaks the transaction.
func (c *change) post(d Dispute, name, kind string, debit, credit ledger.Account) {
	ledger.PostTx(c.tx, c.m, ledger.Posting{ApplicationID: d.ApplicationID, MerchantID: d.MerchantID,
		BusinessKey: d.ID.String() + ":" + name, Kind: kind, Debit: debit, Credit: credit, Amount: d.Amount,
		Currency: d.Currency, SourceID: d.ID.Bytes(), ChargeID: d.ChargeID})
}

// contest is a change that may also change the charge, whose lock is held. Only an event of the processor has a notice.
type contest struct {
	change
	charge charge.Locked
	notice processor.DisputeNotice
}

// lose moves a chargeback to lost or accepted, and its money to the processor.
func (c *contest) lose(to Status) error {
	c.post(c.row.Dispute, "lost", "chargeback_lost", ledger.MerchantReserved, ledger.ProcessorReceivable)
	if err := c.changeCharge(charge.Change{Lost: c.row.Amount}); err != nil {
		return err
	}
	return c.write(func(r *row) error {
		r.Status = to
		return nil
	})
}

// open writes the dispute that the notice reports. began is nil if it is notified of by its outcome only.
func (c *contest) open(ctx context.Context, kind Kind, began *Kind) error {
	n, now := c.notice, instant.Of(c.m.At)
	c.row = row{BeganAs: began, RemindedAt: toldAlready(n.RespondBy, c.m.At), Dispute: c.s.derive(Dispute{
		ID: ids.NewDispute(c.m.Machine), Version: 1, ApplicationID: c.charge.ApplicationID,
		MerchantID: c.charge.MerchantID,
		ChargeID:   c.charge.ID, Kind: kind, Status: NeedsResponse, Amount: n.Amount, Currency: n.Currency,
		Reason:    n.Reason,
		RespondBy: instant.Of(n.RespondBy), Processor: ProcessorRef{c.charge.Processor.Name, n.ID}, CreatedAt: now,
		UpdatedAt: now,
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
func (c *contest) retrieve(ctx context.Context, r *row) error {
	fees, err := c.assess(ctx, r, fee.Retrieval)
	if err != nil {
		return err
	}
	return c.changeCharge(charge.Change{DisputeFees: fees})
}

// reserve is what a chargeback does at once: refunds that were not sent are canceled, the amount is
// reserved and disputed of the charge, which counts what is left of it, the fee is charged.
func (c *contest) reserve(ctx context.Context, r *row) error {
	l, err := c.s.deps.Refunds.CancelUnsentTx(ctx, c.tx, c.m, c.charge)
	if err != nil {
		return err
	}
	c.charge = l
	r.Disputed = r.Amount
	c.post(r.Dispute, "chargeback", "chargeback", ledger.MerchantAvailable, ledger.MerchantReserved)
	fees, err := c.assess(ctx, r, fee.Chargeback)
	if err != nil {
		return err
	}
	return c.changeCharge(charge.Change{Disputed: r.Disputed, DisputeFees: fees})
}

// release returns the amount of a chargeback to the merchant from where it is held, or from the processor if it was
// lost; the fee stays.
func (c *contest) release(r *row) error {
	held, by := ledger.MerchantReserved, charge.Change{Disputed: -r.Disputed}
	if r.Status == Lost {
		held, by.Lost = ledger.ProcessorReceivable, -r.Amount
	}
	c.post(r.Dispute, "won", "chargeback_won", held, ledger.MerchantAvailable)
	r.Status, r.Disputed = Won, 0
	return c.changeCharge(by)
}

// changeCharge changes what the charge says of its disputes.
func (c *contest) changeCharge(by charge.Change) error {
	if by == (charge.Change{}) {
		return nil
	}
	by.Event, by.Source, by.RequestID = "charge.updated", c.source, c.requestID
	after, err := c.s.deps.Charges.ChangeTx(c.tx, c.m, c.charge, by)
	c.charge = after
	return err
}

// assess charges the merchant for what happened, from what is available, and returns how much.
func (c *contest) assess(ctx context.Context, r *row, kind fee.Kind) (money.Amount, error) {
	merchant := fee.Merchant{ApplicationID: r.ApplicationID, MerchantID: r.MerchantID}
	terms, err := fee.EffectiveTx(ctx, c.tx, map[fee.Merchant]time.Time{merchant: c.m.At})
	if err != nil {
		return 0, err
	}
	brand := "" // of a bank account
	if card := c.charge.PaymentMethod.CardMethod; card != nil {
		brand = card.Brand
	}
	event := terms[merchant].Event(merchant, r.ID.Bytes(), kind, r.Amount, brand, c.m.At)
	r.Fees = append(r.Fees, event.Lines...)
	total := fee.Total(event.Lines)
	r.FeeTotal += total
	ledger.PostTx(c.tx, c.m,
		charge.FeePostings(event, r.ID.String(), r.ChargeID, r.Currency, ledger.MerchantAvailable)...)
	return total, fee.RecordTx(c.tx, []fee.Event{event})
}
