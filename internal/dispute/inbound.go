package dispute

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// ErrNotice is returned for an event that does not say what a dispute's events must.
var ErrNotice = errors.New("dispute: the event's notice does not fit")

// ErrNothingTaken is returned for an event of a dispute of a charge of which the books have no money: its merchant has
// nothing to return. The event waits for people.
var ErrNothingTaken = errors.New("dispute: the books have no money of its charge")

// Open records a dispute that was opened: a chargeback or a retrieval. Like the other functions for
// events of the processor it is one transaction and harmless when repeated. Its errors:
// resource_missing for a reference that is no charge of ours, [charge.ErrUnresolved] while the
// charge's own outcome is not known, [ErrNotice], [ErrNothingTaken].
func (s *Service) Open(ctx context.Context, ev processor.Event) error {
	return s.inbound(ctx, ev, func(ctx context.Context, c *contest, known bool) error {
		kind := Chargeback
		if c.notice.Retrieval {
			kind = Retrieval
		}
		switch {
		case !known:
			if err := c.open(ctx, kind, &kind); err != nil {
				return err
			}
			return c.tellOpened(ctx)
		case c.row.BeganAs == nil:
			return c.began(ctx, kind)
		}
		return nil
	})
}

// Escalate records that a retrieval became a chargeback: the same record, to be answered again.
func (s *Service) Escalate(ctx context.Context, ev processor.Event) error {
	return s.inbound(ctx, ev, func(ctx context.Context, c *contest, known bool) error {
		if err := c.ensure(ctx, known, Retrieval); err != nil {
			return err
		}
		switch {
		case c.row.Kind == Retrieval && c.row.Status != Closed:
			if err := c.escalate(ctx); err != nil {
				return err
			}
			return c.tellOpened(ctx)
		case c.row.Kind == Chargeback && c.row.BeganAs == nil:
			return c.began(ctx, Retrieval)
		case c.row.EscalatedAt == nil:
			c.contradicted(ctx, ev)
		}
		return nil
	})
}

// Won records that a chargeback was decided for the merchant: the money comes back, no fee does.
func (s *Service) Won(ctx context.Context, ev processor.Event) error {
	return s.decided(ctx, ev, Won, func(c *contest) error {
		return c.write(c.release)
	})
}

// Lost records that a chargeback was decided against the merchant.
func (s *Service) Lost(ctx context.Context, ev processor.Event) error {
	return s.decided(ctx, ev, Lost, func(c *contest) error { return c.lose(Lost) })
}

// decided brings a dispute to an outcome, whatever else was heard of it before.
func (s *Service) decided(ctx context.Context, ev processor.Event, to Status, decide func(*contest) error) error {
	return s.inbound(ctx, ev, func(ctx context.Context, c *contest, known bool) error {
		switch {
		case !known: // how it began will still be told
			if err := c.open(ctx, Chargeback, nil); err != nil {
				return err
			}
		case c.row.Kind == Retrieval && c.row.Status != Closed: // its escalation will still be told
			if err := c.escalate(ctx); err != nil {
				return err
			}
		}
		if c.row.Status == to || to == Lost && c.row.Status == Accepted { // the processor may report what we accepted
			return nil
		}
		if _, ok := move(c.row.state(), State{Chargeback, to}); !ok {
			c.contradicted(ctx, ev)
			return nil
		}
		return decide(c)
	})
}

// Closed records that a retrieval ended without more.
func (s *Service) Closed(ctx context.Context, ev processor.Event) error {
	return s.inbound(ctx, ev, func(ctx context.Context, c *contest, known bool) error {
		if err := c.ensure(ctx, known, Retrieval); err != nil {
			return err
		}
		if c.row.Kind != Retrieval {
			c.contradicted(ctx, ev)
			return nil
		}
		return c.write(func(r *row) error {
			r.Status = Closed
			return nil
		})
	})
}

// inbound runs what an event of the processor does, under the lock of the charge and of the dispute
// if it is known.
func (s *Service) inbound(ctx context.Context, ev processor.Event,
	apply func(ctx context.Context, c *contest, known bool) error) error {
	if ev.Dispute == nil || ev.Dispute.ID == "" || ev.Dispute.Amount <= 0 {
		return fmt.Errorf("%w: %s", ErrNotice, ev.ID)
	}
	found, err := s.deps.Charges.FindByReference(ctx, ev.Adapter, ev.Reference)
	if err != nil {
		return err
	}
	if ev.On() != found.Account() {
		return fault.Missing()
	}
	if found.Currency != ev.Dispute.Currency { // amounts are not converted
		return fmt.Errorf("%w: %s is in another currency than its charge", ErrNotice, ev.ID)
	}
	m, err := s.deps.Clock.Moment(ctx, found.ApplicationID)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		l, err := s.deps.Charges.LockTx(ctx, tx, found.ApplicationID, found.ID)
		if err != nil {
			return err
		}
		if l.Status == charge.Processing {
			return charge.ErrUnresolved
		}
		r, known, err := s.lockNoticedTx(ctx, tx, l.ApplicationID, ProcessorRef{ev.Adapter, ev.Dispute.ID})
		if err != nil {
			return err
		}
		if known && r.ChargeID != l.ID {
			return fmt.Errorf("%w: %s names another charge than before", ErrNotice, ev.ID)
		}
		// of an authorization a capture may still be found
		if !known && l.AmountCaptured == 0 && l.Status != charge.Authorized {
			return fmt.Errorf("%w: %s of %s", ErrNothingTaken, ev.ID, l.ID)
		}
		c := &contest{change: change{s: s, tx: tx, m: m, source: outbox.Job, row: r}, charge: l, notice: *ev.Dispute}
		return apply(ctx, c, known)
	})
}

// ensure opens the dispute if it is not known.
func (c *contest) ensure(ctx context.Context, known bool, kind Kind) error {
	if known {
		return nil
	}
	return c.open(ctx, kind, &kind)
}

// began adds how a dispute began of which only the outcome was heard before: a retrieval cost its fee,
// and was escalated.
func (c *contest) began(ctx context.Context, kind Kind) error {
	return c.write(func(r *row) error {
		r.BeganAs = &kind
		if kind == Chargeback {
			return nil
		}
		r.EscalatedAt = instant.Ptr(c.m.At)
		return c.retrieve(ctx, r)
	})
}

// escalate turns a retrieval into a chargeback as the notice describes it. What was answered was
// answered to the retrieval: it stays as a draft.
func (c *contest) escalate(ctx context.Context) error {
	return c.write(func(r *row) error {
		n := c.notice
		r.Kind, r.Status, r.Amount, r.Reason, r.RespondBy = Chargeback, NeedsResponse, n.Amount, n.Reason,
			instant.Of(n.RespondBy)
		r.EvidenceSubmittedAt, r.EscalatedAt, r.RemindedAt = nil, instant.Ptr(c.m.At), toldAlready(n.RespondBy, c.m.At)
		return c.reserve(ctx, r)
	})
}

// contradicted leaves an event out that cannot follow what was heard before.
func (c *contest) contradicted(ctx context.Context, ev processor.Event) {
	slog.WarnContext(ctx, "a processor's event contradicts what it told before", "event", ev.ID, "kind",
		string(ev.Kind), "dispute_id", c.row.ID.String(), "status", string(c.row.Status))
}
