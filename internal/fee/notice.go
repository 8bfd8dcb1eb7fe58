package fee

import (
	"context"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// Notice is what an application receives of each change of a merchant's fees: the object of fees.updated. It never
// changes.
type Notice struct {
	ID         ids.FeeChange `json:"id"`
	Object     string        `json:"object"`
	Version    int           `json:"version"` // 1
	Livemode   bool          `json:"livemode"`
	MerchantID int64         `json:"merchant_id"`
	// EffectiveAt is when the schedule begins, or would have begun if it is canceled.
	EffectiveAt instant.Time `json:"effective_at"`
	ChangedBy   By           `json:"changed_by"`
	// Schedule was added, or canceled before it began.
	Schedule Record `json:"schedule"`
	// Changes are what it changes, and what follows for the schedules that begin later, in order of time.
	Changes []Difference `json:"changes"`
}

// Difference is what a change of fees makes of the rates for some time: only settings that differ, by their names.
type Difference struct {
	EffectiveAt instant.Time `json:"effective_at"`
	// when the next scheduled change begins, which may differ or not; nil: never
	EndsAt     *instant.Time   `json:"ends_at"`
	ScheduleID ids.FeeSchedule `json:"schedule_id"` // what applies from then on
	Old        map[string]any  `json:"old"`
	New        map[string]any  `json:"new"`
}

// valuesOf are some settings of the rates as JSON has them: minor units, percent, and null for off.
func (r Rates) valuesOf(names []string) map[string]any {
	out := make(map[string]any, len(names))
	for _, s := range settings {
		if !slices.Contains(names, s.Name) {
			continue
		}
		switch flat, percent := s.value(&r); {
		case flat != nil:
			out[s.Name] = *flat
		case percent != nil:
			out[s.Name] = *percent
		default:
			out[s.Name] = nil
		}
	}
	return out
}

// differences compares what was to be charged with what is, at each instant at which either begins to charge by other
// rates.
func differences(was, is standing) []Difference {
	begins := []time.Time{is.effective.EffectiveAt.Time}
	for _, r := range slices.Concat(was.scheduled, is.scheduled) {
		begins = append(begins, r.EffectiveAt.Time)
	}
	slices.SortFunc(begins, time.Time.Compare)
	begins = slices.CompactFunc(begins, time.Time.Equal)
	out := []Difference{}
	for i, at := range begins {
		before, after := was.at(at), is.at(at)
		names := differing(before.Rates, after.Rates)
		if len(names) == 0 {
			continue
		}
		d := Difference{EffectiveAt: instant.Of(at), ScheduleID: after.ID, Old: before.valuesOf(names),
			New: after.valuesOf(names)}
		if i+1 < len(begins) {
			d.EndsAt = instant.Ptr(begins[i+1])
		}
		out = append(out, d)
	}
	return out
}

// noticeTx queues fees.updated. The service's own rates are no event of an application: only system administrators see
// them.
func (s *Service) noticeTx(tx *pg.Tx, by authz.Actor, c changed) error {
	n := Notice{ID: ids.NewFeeChange(c.now.Machine), Object: "fee_change", Version: 1, Livemode: s.deps.Livemode,
		MerchantID: c.after.MerchantID, EffectiveAt: c.after.EffectiveAt, ChangedBy: byOf(by), Schedule: c.after,
		Changes: differences(c.now.standing, c.is)}
	return outbox.EmitTx(tx, c.now.Moment,
		outbox.Event{ApplicationID: by.ApplicationID, MerchantID: n.MerchantID, Type: "fees.updated",
			ObjectID: n.ID.Bytes(), Position: 1, Object: n, RequestID: by.RequestID, Source: outbox.SourceOf(by)})
}

// Merchants keep the merchants' objects, which show one of their fees.
type Merchants interface {
	// DAFPercentageChangedTx makes the next version of a merchant, whose row the transaction holds, with its event.
	DAFPercentageChangedTx(ctx context.Context, tx *pg.Tx, m instant.Moment, actor authz.Actor, merchantID int64,
		change DAFPercentages) error
}

// DAFPercentages are a merchant's daf_percentage before and after a change that takes effect at once.
type DAFPercentages struct{ Old, New money.Percent }

// ShowOn says who keeps the merchants' objects. It is called while the service is wired.
func (s *Service) ShowOn(m Merchants) { s.merchants = m }

// showTx makes a new version of a merchant whose daf_percentage is another now.
func (s *Service) showTx(ctx context.Context, tx *pg.Tx, q edit, c changed) error {
	p := DAFPercentages{c.now.effective.DAFPercentage, c.is.effective.DAFPercentage}
	if q.service() || p.Old == p.New || s.merchants == nil {
		return nil
	}
	return s.merchants.DAFPercentageChangedTx(ctx, tx, c.now.Moment, q.actor, q.merchantID, p)
}
