package charge

import (
	"context"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// LockTx locks a charge of an application. Refunds and disputes take it before their own rows.
func (s *Service) LockTx(ctx context.Context, tx *pg.Tx, applicationID int64, id ids.Charge) (Locked, error) {
	found, err := s.LockAllTx(ctx, tx, []Named{{applicationID, id}})
	l, ok := found[id]
	if err == nil && !ok {
		err = fault.Missing()
	}
	return l, err
}

// Find reads a charge of an application without a lock.
func (s *Service) Find(ctx context.Context, applicationID int64, id ids.Charge) (Charge, error) {
	c, err := pg.Find[Charge](ctx, s.deps.Pool,
		shown+` WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": applicationID, "id": id})
	return s.derive(c), err
}

// Account is where the charge was made, and where everything about it goes.
func (c Charge) Account() processor.Account {
	return processor.StoredAccount(c.Processor.Name, c.ProcessorAccount, c.ApplicationID, c.MerchantID)
}

// FindByReference returns the charge with our reference at a processor.
func (s *Service) FindByReference(ctx context.Context, adapter, reference string) (Charge, error) {
	c, err := pg.Find[Charge](ctx, s.deps.Pool, shown+`
		WHERE (application_id, id) IN (
			SELECT application_id, charge_id FROM processor_operations
			WHERE processor = @processor AND reference = @reference AND kind IN ('authorize', 'debit'))`,
		pg.Args{"processor": adapter, "reference": reference})
	return s.derive(c), err
}

// Change is what a refund or a dispute does to a charge: differences of amounts, and the event to emit. Disputed is the
// amount that a dispute asks for, however much is left; Lost is the amount that it cost, and DisputeFees are its fees.
// The database writes these two from the disputes (see the migration of the columns).
type Change struct {
	Refunded, RefundPending     money.Amount
	Disputed, Lost, DisputeFees money.Amount
	Event                       string // charge.updated or charge.refunded
	Source                      outbox.Source
	RequestID                   ids.Request
}

// ChangeTx applies a change to a charge whose row the transaction holds, and returns the charge as it then is. The
// caller has checked the limits; the database's own are the last guard.
func (s *Service) ChangeTx(tx *pg.Tx, m instant.Moment, l Locked, d Change) (Locked, error) {
	before := s.derive(l.Charge)
	c := changed(before, m.At)
	c.AmountRefunded += d.Refunded
	c.AmountRefundPending += d.RefundPending
	c.AmountContested += d.Disputed
	c.AmountLost += d.Lost
	c.DisputeFeeTotal += d.DisputeFees
	c.AmountDisputed = max(0, min(c.AmountContested, c.AmountCaptured-c.AmountRefunded-c.AmountRefundPending))
	c = s.derive(c)
	updateTx(tx, c)
	l.Charge = c
	_, err := s.announceTx(tx, m, before, c, d.Event, d.RequestID, d.Source)
	return l, err
}
