package fee

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// columns lists the twelve settings of a row.
const columns = `authorization_fee, capture_fee, amex_surcharge_percentage, ach_transfer_flat_fee,
	ach_transfer_percentage, ach_transfer_failed_fee, ach_return_fee, chargeback_fee, retrieval_fee,
	platform_flat_fee, platform_percentage, daf_percentage`

// values lists the arguments of columns.
const values = `@authorization_fee, @capture_fee, @amex_surcharge_percentage, @ach_transfer_flat_fee,
	@ach_transfer_percentage, @ach_transfer_failed_fee, @ach_return_fee, @chargeback_fee, @retrieval_fee,
	@platform_flat_fee, @platform_percentage, @daf_percentage`

// args are the arguments of values, with further ones.
func (r Rates) args(more pg.Args) pg.Args {
	out := pg.Args{}
	for _, s := range settings {
		if flat, percent := s.value(&r); s.Unit == Flat {
			out[s.Name] = flat
		} else {
			out[s.Name] = percent
		}
	}
	maps.Copy(out, more)
	return out
}

// CreateTx gives a new merchant its first schedule, in effect from effectiveAt.
func CreateTx(tx *pg.Tx, applicationID, merchantID int64, r Rates, effectiveAt, now time.Time) ids.FeeSchedule {
	rec := Record{Schedule: Schedule{ID: ids.NewFeeSchedule(now), EffectiveAt: instant.Of(effectiveAt), Rates: r},
		Reason: "The merchant was created.", CreatedBy: By{Kind: byService}, CreatedAt: instant.Of(now)}
	series{applicationID, merchantID}.addTx(tx, rec)
	return rec.ID
}

// Merchant names whose schedule is wanted.
type Merchant struct{ ApplicationID, MerchantID int64 }

type termsRow struct {
	ApplicationID int64 `db:"application_id"`
	MerchantID    int64 `db:"merchant_id"`
	Service       bool  `db:"service"`
	Schedule
}

// effective reads two schedules of each wanted merchant, each by one probe of its index.
const effective = `
	SELECT w.application_id, w.merchant_id, false AS service, s.id, s.effective_at, ` + columns + `
	FROM unnest(@applications::bigint[], @merchants::bigint[], @at::timestamptz[]) AS w (application_id,
		merchant_id, at)
	CROSS JOIN LATERAL (
		SELECT * FROM fee_schedules
		WHERE application_id = w.application_id AND merchant_id = w.merchant_id AND canceled_at IS NULL
			AND effective_at <= w.at
		ORDER BY effective_at DESC, version DESC LIMIT 1) s
	UNION ALL
	SELECT w.application_id, w.merchant_id, true, s.id, s.effective_at, ` + columns + `
	FROM unnest(@applications::bigint[], @merchants::bigint[], @at::timestamptz[]) AS w (application_id,
		merchant_id, at)
	CROSS JOIN LATERAL (
		SELECT * FROM service_fee_schedules
		WHERE application_id = w.application_id AND canceled_at IS NULL AND effective_at <= w.at
		ORDER BY effective_at DESC, version DESC LIMIT 1) s`

// Asked are terms that a batch reads.
type Asked struct{ answer *pg.Answer[termsRow] }

// Ask has a batch read the terms of each wanted merchant that apply at the time given with it. They do not change until
// the transaction ends (see hold.go).
func Ask(b *pg.Batch, wanted map[Merchant]time.Time) Asked {
	pg.Ask[held](b, holdShared, holdArgs(wanted))
	return Asked{pg.Ask[termsRow](b, effective, effectiveArgs(wanted))}
}

// Terms are the terms by merchant. A merchant without a schedule at its time has none.
func (a Asked) Terms() map[Merchant]Terms { return termsOf(a.answer.Rows()) }

// EffectiveTx is [Ask] for terms that are needed now.
func EffectiveTx(ctx context.Context, tx *pg.Tx, wanted map[Merchant]time.Time) (map[Merchant]Terms, error) {
	b := tx.Batch()
	asked := Ask(b, wanted)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return asked.Terms(), nil
}

func effectiveArgs(wanted map[Merchant]time.Time) pg.Args {
	var applications, merchants []int64
	var at []time.Time
	for m, when := range wanted {
		applications, merchants, at = append(applications, m.ApplicationID), append(merchants, m.MerchantID),
			append(at, when)
	}
	return pg.Args{"applications": applications, "merchants": merchants, "at": at}
}

func termsOf(rows []termsRow) map[Merchant]Terms {
	out := make(map[Merchant]Terms, len(rows))
	for _, r := range rows { // the merchants' come first
		m := Merchant{r.ApplicationID, r.MerchantID}
		terms, known := out[m]
		switch {
		case !r.Service:
			terms.Merchant = r.Schedule
		case !known:
			continue
		default:
			terms.Service = r.Schedule
		}
		out[m] = terms
	}
	return out
}

// Event is something that happened to a payment and what it cost.
type Event struct {
	Merchant
	SourceID   [16]byte // the charge's id, or the dispute's
	Kind       Kind
	Base       money.Amount // minor units that percentages were taken of
	Brand      string
	ScheduleID ids.FeeSchedule
	Lines      []Line // what the merchant pays the application
	// ServiceScheduleID is the service's own schedule that ServiceLines follow from; zero without one.
	ServiceScheduleID ids.FeeSchedule
	ServiceLines      []Line // what the application pays the service
	At                time.Time
}

// RecordTx keeps what each event was charged and computed from, in the transaction that made it happen.
func RecordTx(tx *pg.Tx, events []Event) error {
	for _, e := range events {
		lines, err := json.Marshal(append([]Line{}, e.Lines...))
		if err != nil {
			return err
		}
		serviceLines, err := json.Marshal(append([]Line{}, e.ServiceLines...))
		if err != nil {
			return err
		}
		tx.Row(nil, `
			INSERT INTO fee_events (application_id, merchant_id, source_id, kind, base, brand, schedule_id,
				lines, total, service_schedule_id, service_lines, service_total, occurred_at)
			SELECT e.* FROM unnest(@rows::new_fee_event[]) AS e`,
			pg.Args{"application_id": e.ApplicationID, "merchant_id": e.MerchantID, "source_id": e.SourceID,
				"kind": e.Kind, "base": e.Base, "brand": e.Brand, "schedule_id": e.ScheduleID, "lines": lines,
				"total": Total(e.Lines), "service_schedule_id": e.ServiceScheduleID, "service_lines": serviceLines,
				"service_total": Total(e.ServiceLines), "at": e.At})
	}
	return nil
}
