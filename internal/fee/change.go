package fee

import (
	"context"
	"slices"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Bounds of a change.
const (
	maxReason = 500 // characters
	maxAhead  = 5 * 366 * 24 * time.Hour
)

// Change is what an editor wants the rates to be from some time on.
type Change struct {
	Rates Rates
	// From are the rates that the editor saw and changed to Rates: the settings in which the two differ are changed,
	// and each other one is what it would be by then anyway. nil changes all.
	From        *Rates
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

// at is when the change begins: when it says, and never at an instant at which something was charged already.
func (c Change) at(now present) instant.Time {
	if c.EffectiveAt == nil || !c.EffectiveAt.After(now.from.Time) {
		return now.from
	}
	return instant.Of(*c.EffectiveAt)
}

// rates are what the change makes of those that would be in effect then.
func (c Change) rates(then Rates) Rates {
	if c.From == nil {
		return c.Rates
	}
	return then.With(*c.From, c.Rates)
}

// Schedule changes a merchant's rates now or later. A schedule that was to begin at the same instant is replaced. Those
// that begin later keep what each of them changes: where one only repeats a rate that the change changes, one with the
// new rate replaces it. A change to what would be in effect then anyway adds nothing and returns the schedule that it
// repeats. The faults: object_changed if another schedule was added since the editor looked, with base and latest;
// resource_missing; the mistakes of the input.
func (s *Service) Schedule(ctx context.Context, actor authz.Actor, merchantID int64, c Change) (Record, error) {
	q, err := s.editOfMerchant(ctx, actor, authz.FeeManage, merchantID)
	if err != nil {
		return Record{}, err
	}
	return s.schedule(ctx, q, c)
}

// ScheduleServiceRates changes the service's own rates to an application, as Schedule does a merchant's.
func (s *Service) ScheduleServiceRates(ctx context.Context, actor authz.Actor, applicationID int64,
	c Change) (Record, error) {
	q, err := s.editOfService(ctx, actor, applicationID)
	if err != nil {
		return Record{}, err
	}
	return s.schedule(ctx, q, c)
}

func (s *Service) schedule(ctx context.Context, q edit, c Change) (Record, error) {
	return s.inTx(ctx, q, func(tx *pg.Tx, now present) (out made, err error) {
		if err := c.validate(now.At); err != nil {
			return out, err
		}
		if err := q.seenTx(ctx, tx, c.Base, now.latest, now.from.Time); err != nil {
			return out, err
		}
		by, at := byOf(q.actor), c.at(now)
		anyway := now.standing.at(at.Time)
		r := Record{
			Schedule: Schedule{ID: ids.NewFeeSchedule(now.Machine), EffectiveAt: at, Rates: c.rates(anyway.Rates)},
			Reason:   strings.TrimSpace(c.Reason), CreatedBy: by, CreatedAt: instant.Of(now.At)}
		r.Sets = differing(anyway.Rates, r.Rates)
		if !anyway.ID.IsZero() && anyway.Rates.Equal(r.Rates) {
			return made{id: anyway.ID, before: anyway}, nil
		}
		if anyway.Status == Scheduled && anyway.EffectiveAt.Equal(at.Time) {
			q.cancelTx(tx, anyway.ID, by, now.At)
			r.Replaces = anyway.ID
			r.Sets = append(r.Sets, anyway.sets(now.before(at.Time).Rates)...)
		}
		q.addTx(tx, r)
		q.carryTx(tx, now, by, anyway.Rates, r.Rates, now.after(at.Time))
		return made{r.ID, anyway}, nil
	})
}

// CancelScheduled cancels a merchant's schedule that has not begun; one that was canceled already is returned as it is.
// Schedules that begin later keep what each of them changes, as by Schedule. The faults: fee_schedule_begun,
// resource_missing.
func (s *Service) CancelScheduled(ctx context.Context, actor authz.Actor, merchantID int64,
	id ids.FeeSchedule) (Record, error) {
	q, err := s.editOfMerchant(ctx, actor, authz.FeeManage, merchantID)
	if err != nil {
		return Record{}, err
	}
	return s.cancel(ctx, q, id)
}

// CancelServiceRates cancels a schedule of the service's own, as CancelScheduled does a merchant's.
func (s *Service) CancelServiceRates(ctx context.Context, actor authz.Actor, applicationID int64,
	id ids.FeeSchedule) (Record, error) {
	q, err := s.editOfService(ctx, actor, applicationID)
	if err != nil {
		return Record{}, err
	}
	return s.cancel(ctx, q, id)
}

func (s *Service) cancel(ctx context.Context, q edit, id ids.FeeSchedule) (Record, error) {
	return s.inTx(ctx, q, func(tx *pg.Tx, now present) (made, error) {
		r, err := q.find(ctx, tx, id, now.from.Time)
		if err != nil {
			return made{}, err
		}
		out := made{id: id, before: r}
		switch r.Status {
		case Scheduled:
			by := byOf(q.actor)
			q.cancelTx(tx, id, by, now.At)
			if r.ID == now.at(r.EffectiveAt.Time).ID {
				q.carryTx(tx, now, by, r.Rates, now.before(r.EffectiveAt.Time).Rates, now.after(r.EffectiveAt.Time))
			}
		case InForce, Superseded:
			return out, fault.New(fault.KindConflict, "fee_schedule_begun",
				"This schedule has begun. Change the rates from now on instead.")
		case Canceled:
		}
		return out, nil
	})
}

// DAFChange is what the API writes of a merchant's fees.
type DAFChange struct {
	Percent money.Percent
	Base    ids.FeeSchedule // the Latest that the caller saw; zero does not compare
	// IfVersion is the version of which the schedule in effect must still be; nil is any.
	IfVersion *int
}

// dafReason is the reason of the schedule that a DAFChange puts in effect.
const dafReason = "daf_percentage was changed."

// SetDAFPercentage changes a merchant's daf_percentage at once and leaves the other rates alone; what is scheduled
// keeps what it changes, as by Schedule. It happens once per key. The faults are those of Schedule.
func (s *Service) SetDAFPercentage(ctx context.Context, actor authz.Actor, merchantID int64, c DAFChange,
	claim *idempotency.Claim) (idempotency.Result[Record], error) {
	q, err := s.editOfMerchant(ctx, actor, authz.FeeWriteDAF, merchantID)
	if err != nil {
		return idempotency.Result[Record]{}, err
	}
	return s.once(ctx, q, claim, func(tx *pg.Tx, now present) (made, error) {
		return q.setDAFTx(ctx, tx, now, byOf(actor), c)
	})
}

// SetDAFPercentageTx is SetDAFPercentage within a change of the merchant, whose row the caller's transaction holds and
// whose permission the caller has checked. m is a moment before the lock.
func (s *Service) SetDAFPercentageTx(ctx context.Context, tx *pg.Tx, m instant.Moment, actor authz.Actor,
	merchantID int64, p money.Percent) error {
	q := edit{series{actor.ApplicationID, merchantID}, actor, authz.FeeWriteDAF}
	_, err := s.changeTx(ctx, tx, q, m, func(tx *pg.Tx, now present) (made, error) {
		return q.setDAFTx(ctx, tx, now, byOf(actor), DAFChange{Percent: p})
	})
	return err
}

func (q series) setDAFTx(ctx context.Context, tx *pg.Tx, now present, by By, c DAFChange) (out made, err error) {
	var fs fault.Fields
	checkPercent(&fs, dafPercentage, c.Percent)
	if err := fs.Err(); err != nil {
		return out, err
	}
	if !c.Base.IsZero() {
		if err := q.seenTx(ctx, tx, c.Base, now.latest, now.from.Time); err != nil {
			return out, err
		}
	}
	if now.effective.ID.IsZero() {
		return out, fault.Missing()
	}
	if err := check.Version(c.IfVersion, now.effective.Version); err != nil {
		return out, err
	}
	out = made{id: now.effective.ID, before: now.effective}
	if now.effective.DAFPercentage == c.Percent {
		return out, nil
	}
	r := now.effective
	r.ID, r.EffectiveAt, r.DAFPercentage, r.Reason, r.Replaces = ids.NewFeeSchedule(now.Machine), now.from, c.Percent,
		dafReason, ids.FeeSchedule{}
	r.Sets = []string{dafPercentage}
	r.CreatedBy, r.CreatedAt = by, instant.Of(now.At)
	q.addTx(tx, r)
	q.carryTx(tx, now, by, now.effective.Rates, r.Rates, now.scheduled)
	out.id = r.ID
	return out, nil
}

// Made reports whether this very change was made before, by the latest schedules, the latest first: its schedule was
// added next after the one that the editor saw, and after it only those that it replaced in what is scheduled.
func (c Change) Made(past page.Of[Record]) bool {
	i := slices.IndexFunc(past.Items, func(r Record) bool { return r.ID == c.Base })
	if i < 0 {
		i = len(past.Items) // the first of all
	}
	if i == 0 || i == len(past.Items) && (past.HasMore || !c.Base.IsZero()) {
		return false
	}
	own := past.Items[i-1]
	for _, r := range past.Items[:i-1] {
		if r.Replaces.IsZero() || !r.CreatedAt.Equal(own.CreatedAt.Time) {
			return false
		}
	}
	rates := c.Rates
	if c.From != nil {
		rates = own.Rates.With(*c.From, c.Rates)
	}
	same := rates.Equal(own.Rates) && own.Reason == c.Reason && own.CanceledAt == nil
	return same && (c.EffectiveAt == nil || own.EffectiveAt.Equal(*c.EffectiveAt))
}
