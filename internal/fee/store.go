package fee

import (
	"context"
	"encoding/json"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/pg"
)

// columns lists the twelve settings of a fee_schedules row.
const columns = `authorization_fee, capture_fee, amex_surcharge_percentage, ach_transfer_flat_fee,
	ach_transfer_percentage, ach_transfer_failed_fee, ach_return_fee, chargeback_fee, retrieval_fee,
	platform_flat_fee, platform_percentage, daf_percentage`

// CreateTx adds a schedule to a merchant's series, in force from effectiveAt.
func CreateTx(tx *pg.Tx, applicationID, merchantID int64, r Rates, effectiveAt, now time.Time) ids.FeeSchedule {
	id := ids.NewFeeSchedule(now)
	tx.Later(`
		INSERT INTO fee_schedules (id, application_id, merchant_id, effective_at, `+columns+`, created_at)
		VALUES (@id, @application_id, @merchant_id, @effective_at, @authorization_fee, @capture_fee,
			@amex, @ach_flat, @ach_percentage, @ach_failed, @ach_return,
			@chargeback, @retrieval, @platform_flat, @platform_percentage, @daf, @now)`,
		pg.Args{
			"id": id, "application_id": applicationID, "merchant_id": merchantID, "effective_at": effectiveAt,
			"authorization_fee": r.AuthorizationFee, "capture_fee": r.CaptureFee,
			"amex": r.AmexSurchargePercentage, "ach_flat": r.ACHTransferFlatFee,
			"ach_percentage": r.ACHTransferPercentage, "ach_failed": r.ACHTransferFailedFee,
			"ach_return": r.ACHReturnFee, "chargeback": r.ChargebackFee, "retrieval": r.RetrievalFee,
			"platform_flat": r.PlatformFlatFee, "platform_percentage": r.PlatformPercentage,
			"daf": r.DAFPercentage, "now": now,
		})
	return id
}

// Merchant names whose schedule is wanted.
type Merchant struct{ ApplicationID, MerchantID int64 }

type scheduleRow struct {
	ApplicationID int64 `db:"application_id"`
	MerchantID    int64 `db:"merchant_id"`
	Schedule
}

// InForceTx returns the terms of each wanted merchant that apply at the time given with it.
func InForceTx(ctx context.Context, q pg.Querier, wanted map[Merchant]time.Time) (map[Merchant]Terms, error) {
	var applications, merchants []int64
	var at []time.Time
	for m, when := range wanted {
		applications, merchants, at = append(applications, m.ApplicationID), append(merchants, m.MerchantID), append(at, when)
	}
	rows, err := pg.All[scheduleRow](ctx, q, `
		SELECT DISTINCT ON (s.application_id, s.merchant_id) s.application_id, s.merchant_id, s.id, s.effective_at, `+columns+`
		FROM unnest(@applications::bigint[], @merchants::bigint[], @at::timestamptz[]) AS w (application_id, merchant_id, at)
		JOIN fee_schedules s USING (application_id, merchant_id)
		WHERE s.effective_at <= w.at
		ORDER BY s.application_id, s.merchant_id, s.effective_at DESC, s.id DESC`,
		pg.Args{"applications": applications, "merchants": merchants, "at": at})
	out := make(map[Merchant]Terms, len(rows))
	for _, r := range rows {
		out[Merchant{r.ApplicationID, r.MerchantID}] = Terms{Merchant: r.Schedule}
	}
	return out, err
}

// Event is something that happened to a payment and what it cost.
type Event struct {
	Merchant
	SourceID   [16]byte
	Kind       Kind
	Base       money.Amount
	Brand      string
	ScheduleID ids.FeeSchedule
	Lines      []Line // what the merchant pays the application
	// ServiceLines is what the application pays the service.
	ServiceLines []Line
	At           time.Time
}

// RecordTx keeps what each event was charged and computed from, in the transaction that made it happen.
func RecordTx(tx *pg.Tx, events []Event) error {
	for _, e := range events {
		lines, err := json.Marshal(append([]Line{}, e.Lines...))
		if err != nil {
			return err
		}
		tx.Later(`
			INSERT INTO fee_events (application_id, merchant_id, source_id, kind, base, brand, schedule_id, lines, total, occurred_at)
			VALUES (@application_id, @merchant_id, @source_id, @kind, @base, @brand, @schedule_id, @lines, @total, @at)`,
			pg.Args{"application_id": e.ApplicationID, "merchant_id": e.MerchantID, "source_id": e.SourceID,
				"kind": e.Kind, "base": e.Base, "brand": e.Brand, "schedule_id": e.ScheduleID,
				"lines": lines, "total": Total(e.Lines), "at": e.At})
	}
	return nil
}
