package fee

import (
	"context"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/pg"
)

// Bounds of a change.
const (
	maxReason = 500 // characters
	maxAhead  = 5 * 366 * 24 * time.Hour
)

// Change is what an editor wants the rates to be from some time on.
type Change struct {
	Rates       Rates
	EffectiveAt *time.Time // by the application's clock; nil is at once
	Reason      string     // for people, 1 to 500 characters
	// Base is the Latest that the editor saw. Zero fits the service's rates before the first only.
	Base ids.FeeSchedule
}

func (c Change) validate(now time.Time) error {
	fs := c.Rates.Validate()
	if c.EffectiveAt != nil {
		at := instant.Of(*c.EffectiveAt)
		if at.Before(instant.Of(now).Time) {
			fs.Add("effective_at", "parameter_invalid", "Rates change now or later, never in the past.")
		}
		if at.After(now.Add(maxAhead)) {
			fs.Add("effective_at", "parameter_invalid", "Rates can be scheduled for the next five years.")
		}
	}
	reason := strings.TrimSpace(c.Reason)
	check.Required(&fs, "reason", reason != "")
	check.Text(&fs, "reason", &reason, 0, maxReason)
	return fs.Err()
}

// Schedule changes a merchant's rates now or later. A schedule that was to begin at the same instant
// is replaced, other scheduled ones stay. A change to what would be in force then anyway adds nothing
// and returns the schedule that it repeats. The faults: object_changed if another schedule was
// added since the editor looked, with base and latest; resource_missing; the mistakes of the input.
func (s *Service) Schedule(ctx context.Context, actor authz.Actor, merchantID int64, c Change) (Record, error) {
	q, err := s.editOfMerchant(ctx, actor, authz.FeeManage, merchantID)
	if err != nil {
		return Record{}, err
	}
	return s.schedule(ctx, q, c)
}

// ScheduleServiceRates changes the service's own rates to an application, as Schedule does a merchant's.
func (s *Service) ScheduleServiceRates(ctx context.Context, actor authz.Actor, applicationID int64, c Change) (Record, error) {
	q, err := s.editOfService(ctx, actor, applicationID)
	if err != nil {
		return Record{}, err
	}
	return s.schedule(ctx, q, c)
}

func (s *Service) schedule(ctx context.Context, q edit, c Change) (Record, error) {
	return s.inTx(ctx, q, func(tx *pg.Tx, m instant.Moment) (id ids.FeeSchedule, before Record, err error) {
		if err := c.validate(m.At); err != nil {
			return id, before, err
		}
		now, err := q.standing(ctx, tx, m.At)
		if err != nil {
			return id, before, err
		}
		if err := q.seenTx(ctx, tx, c.Base, now.latest, m.At); err != nil {
			return id, before, err
		}
		r := Record{Schedule: Schedule{ID: ids.NewFeeSchedule(m.Machine), EffectiveAt: instant.Of(m.At), Rates: c.Rates},
			Reason: strings.TrimSpace(c.Reason), CreatedBy: byOf(q.actor), CreatedAt: instant.Of(m.At)}
		if c.EffectiveAt != nil {
			r.EffectiveAt = instant.Of(*c.EffectiveAt)
		}
		anyway := now.at(r.EffectiveAt.Time)
		if !anyway.ID.IsZero() && anyway.Rates.Equal(r.Rates) {
			return anyway.ID, anyway, nil
		}
		if anyway.Status == Scheduled && anyway.EffectiveAt.Equal(r.EffectiveAt.Time) {
			q.cancelTx(tx, anyway.ID, r.CreatedBy, m.At)
			r.Replaces = anyway.ID
		}
		q.addTx(tx, r)
		return r.ID, anyway, nil
	})
}

// CancelScheduled takes back a merchant's schedule that has not begun; one that was taken back
// already is returned as it is. The faults: fee_schedule_begun, resource_missing.
func (s *Service) CancelScheduled(ctx context.Context, actor authz.Actor, merchantID int64, id ids.FeeSchedule) (Record, error) {
	q, err := s.editOfMerchant(ctx, actor, authz.FeeManage, merchantID)
	if err != nil {
		return Record{}, err
	}
	return s.cancel(ctx, q, id)
}

// CancelServiceRates takes back a schedule of the service's own, as CancelScheduled does a merchant's.
func (s *Service) CancelServiceRates(ctx context.Context, actor authz.Actor, applicationID int64, id ids.FeeSchedule) (Record, error) {
	q, err := s.editOfService(ctx, actor, applicationID)
	if err != nil {
		return Record{}, err
	}
	return s.cancel(ctx, q, id)
}

func (s *Service) cancel(ctx context.Context, q edit, id ids.FeeSchedule) (Record, error) {
	return s.inTx(ctx, q, func(tx *pg.Tx, m instant.Moment) (ids.FeeSchedule, Record, error) {
		r, err := q.find(ctx, tx, id, m.At)
		if err != nil {
			return id, r, err
		}
		switch r.Status {
		case Scheduled:
			q.cancelTx(tx, id, byOf(q.actor), m.At)
		case InForce, Superseded:
			return id, r, fault.New(fault.KindConflict, "fee_schedule_begun", "This schedule has begun. Change the rates from now on instead.")
		case Canceled:
		}
		return id, r, nil
	})
}

// DAFChange is what the API writes of a merchant's fees.
type DAFChange struct {
	Percent money.Percent
	Base    ids.FeeSchedule // the Latest that the caller saw; zero does not compare
	// IfVersion is the version of which the schedule in force must still be; nil is any.
	IfVersion *int
}

// dafReason is the reason of the schedule that a DAFChange puts in force.
const dafReason = "daf_percentage was changed."

// SetDAFPercentage changes a merchant's daf_percentage at once and leaves the other rates alone. A
// scheduled change of other rates only is replaced by one that has the new percentage too; one that
// itself sets another daf_percentage still does when it begins, and those after it are untouched.
// It happens once per key. The faults are those of Schedule.
func (s *Service) SetDAFPercentage(ctx context.Context, actor authz.Actor, merchantID int64, c DAFChange, claim *idempotency.Claim) (idempotency.Result[Record], error) {
	q, err := s.editOfMerchant(ctx, actor, authz.FeeWriteDAF, merchantID)
	if err != nil {
		return idempotency.Result[Record]{}, err
	}
	return s.once(ctx, q, claim, func(tx *pg.Tx, m instant.Moment) (ids.FeeSchedule, Record, error) {
		return q.setDAFTx(ctx, tx, m, byOf(actor), c)
	})
}

// SetDAFPercentageTx is SetDAFPercentage within a change of the merchant, whose row the caller's
// transaction holds and whose permission the caller has checked. People are told by the letters, which may be nil.
func SetDAFPercentageTx(ctx context.Context, tx *pg.Tx, m instant.Moment, actor authz.Actor, merchantID int64, p money.Percent, by Letters) error {
	q := series{actor.ApplicationID, merchantID}
	id, before, err := q.setDAFTx(ctx, tx, m, byOf(actor), DAFChange{Percent: p})
	if err != nil || by == nil || id == before.ID {
		return err
	}
	if err := tx.Flush(ctx); err != nil {
		return err
	}
	after, err := q.find(ctx, tx, id, m.At)
	if err != nil {
		return err
	}
	return by.FeesChanged(ctx, tx, q.applicationID, before, after)
}

func (q series) setDAFTx(ctx context.Context, tx *pg.Tx, m instant.Moment, by By, c DAFChange) (id ids.FeeSchedule, before Record, err error) {
	var fs fault.Fields
	checkPercent(&fs, dafPercentage, c.Percent)
	if err := fs.Err(); err != nil {
		return id, before, err
	}
	now, err := q.standing(ctx, tx, m.At)
	if err != nil {
		return id, before, err
	}
	if !c.Base.IsZero() {
		if err := q.seenTx(ctx, tx, c.Base, now.latest, m.At); err != nil {
			return id, before, err
		}
	}
	if now.inForce.ID.IsZero() {
		return id, before, fault.Missing()
	}
	if err := check.Version(c.IfVersion, now.inForce.Version); err != nil {
		return id, before, err
	}
	was := now.inForce.DAFPercentage
	if was == c.Percent {
		return now.inForce.ID, now.inForce, nil
	}
	add := func(like Record) ids.FeeSchedule {
		like.ID, like.DAFPercentage, like.CreatedBy, like.CreatedAt = ids.NewFeeSchedule(m.Machine), c.Percent, by, instant.Of(m.At)
		q.addTx(tx, like)
		return like.ID
	}
	first := now.inForce
	first.EffectiveAt, first.Reason, first.Replaces = instant.Of(m.At), dafReason, ids.FeeSchedule{}
	id = add(first)
	for _, r := range now.scheduled {
		if r.DAFPercentage != was {
			break
		}
		q.cancelTx(tx, r.ID, by, m.At)
		r.Replaces = r.ID
		add(r)
	}
	return id, now.inForce, nil
}
