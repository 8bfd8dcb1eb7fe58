package merchant

import (
	"context"
	"encoding/binary"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
)

// columns lists what a Merchant is read from.
const columns = `m.id, m.version, m.application_id, m.organization_id,
	(SELECT jsonb_build_object('id', o.id, 'name', o.name) FROM organizations o
		WHERE o.application_id = m.application_id AND o.id = m.organization_id) AS organization,
	m.name, m.status, m.status_reason, m.country, m.currency, m.bank_processor, m.time_zone, m.payout_schedule, m.payout_weekday,
	m.payout_day_of_month, m.payouts_paused_reason, m.next_payout_at, m.statement_descriptor, m.external_id, m.metadata,
	m.created_at, m.updated_at`

func insertTx(ctx context.Context, tx *pg.Tx, m Merchant, next, now time.Time) (int64, error) {
	if m.Metadata == nil {
		m.Metadata = map[string]string{}
	}
	return pg.Value[int64](ctx, tx, `
		INSERT INTO merchants (application_id, organization_id, name, status, country, currency, bank_processor, time_zone,
			payout_schedule, payout_weekday, payout_day_of_month, next_payout_at, statement_descriptor, external_id, metadata,
			created_at, updated_at)
		VALUES (@application_id, @organization_id, @name, @status, @country, @currency, @bank_processor, @time_zone,
			@schedule, @weekday, @day_of_month, @next, @statement_descriptor, @external_id, @metadata,
			@now, @now) RETURNING id`,
		pg.Args{"application_id": m.ApplicationID, "organization_id": m.OrganizationID, "name": m.Name,
			"status": Active, "country": m.Country, "currency": m.Currency, "bank_processor": m.BankProcessor,
			"time_zone": m.TimeZone, "schedule": m.PayoutSchedule, "weekday": m.PayoutWeekday, "day_of_month": m.PayoutDayOfMonth,
			"next": next, "statement_descriptor": m.StatementDescriptor, "external_id": m.ExternalID, "metadata": m.Metadata, "now": now})
}

func find(ctx context.Context, q pg.Querier, applicationID, id int64) (Merchant, error) {
	return pg.Find[Merchant](ctx, q, `SELECT `+columns+` FROM merchants m WHERE m.application_id = @application_id AND m.id = @id`,
		pg.Args{"application_id": applicationID, "id": id})
}

// LockTx locks one merchant of the application until the transaction ends; others may still write
// rows that refer to it. It is the first lock that a flow takes.
func (s *Service) LockTx(ctx context.Context, tx *pg.Tx, applicationID, id int64) (Merchant, error) {
	m, err := pg.Find[Merchant](ctx, tx, `
		SELECT `+columns+` FROM merchants m WHERE m.application_id = @application_id AND m.id = @id FOR NO KEY UPDATE`,
		pg.Args{"application_id": applicationID, "id": id})
	return s.derive(m), err
}

// Cause says who changed a merchant; a zero RequestID means no request.
type Cause struct {
	RequestID ids.Request
	Source    outbox.Source
}

// changeTx writes a locked merchant's new status and pause as its next version, with the event.
func (s *Service) changeTx(tx *pg.Tx, m instant.Moment, before, after Merchant, c Cause) (Merchant, error) {
	after.Version, after.UpdatedAt = before.Version+1, instant.Of(m.At)
	tx.Later(`
		UPDATE merchants SET version = @version, status = @status, status_reason = @status_reason,
			payouts_paused_reason = @paused, updated_at = @now
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"version": after.Version, "status": after.Status, "status_reason": after.StatusReason,
			"paused": after.PayoutsPausedReason, "now": after.UpdatedAt, "application_id": after.ApplicationID, "id": after.ID})
	previous, err := outbox.Changed(before, after)
	if err != nil {
		return after, err
	}
	return after, emitTx(tx, m, "merchant.updated", after, previous, c)
}

func emitTx(tx *pg.Tx, m instant.Moment, event string, after Merchant, previous map[string]any, c Cause) error {
	return outbox.EmitTx(tx, m, outbox.Event{ApplicationID: after.ApplicationID, MerchantID: after.ID, Type: event,
		ObjectID: ObjectID(after.ID), Position: int64(after.Version), Object: after, Previous: previous,
		RequestID: c.RequestID, Source: c.Source})
}

// ObjectID is a merchant's id where ids of several kinds share a column: the number in the last eight
// bytes. No ULID looks like it, as its time is not zero.
func ObjectID(id int64) (b [16]byte) {
	binary.BigEndian.PutUint64(b[8:], uint64(id))
	return b
}
