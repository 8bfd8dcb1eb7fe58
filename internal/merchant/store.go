package merchant

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/jackc/pgx/v5/pgtype"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/textindex"
	"svcpay/internal/processor/accounts"
)

// columns lists what a Merchant is read from. daf_percentage is that of the schedule in effect by the
// application's time, of which @machine is the machine's.
const columns = `m.id, m.version, m.application_id, m.organization_id,
	(SELECT jsonb_build_object('id', o.id, 'name', o.name) FROM organizations o
		WHERE o.application_id = m.application_id AND o.id = m.organization_id) AS organization,
	m.name, m.status, m.status_reason, m.country, m.currency, m.ein, m.nonprofit, m.bank_processor, m.time_zone,
		m.payout_schedule,
	m.payout_weekday, m.payout_day_of_month, m.payouts_paused_reason, m.next_payout_at, m.has_wallet_a,
		m.has_daf_provider,
	m.daf_provider_connect_id, m.domains,
	(SELECT f.daf_percentage FROM fee_schedules f
		WHERE f.application_id = m.application_id AND f.merchant_id = m.id AND f.canceled_at IS NULL
			AND f.effective_at <= @machine::timestamptz + coalesce((
				SELECT k.ahead FROM application_clocks k WHERE k.application_id = m.application_id),
					0) * interval '1 microsecond'
		ORDER BY f.effective_at DESC, f.version DESC LIMIT 1) AS daf_percentage,
	m.minimum_charge, m.statement_descriptor, m.external_id, m.metadata, m.created_at, m.updated_at,
	` + accounts.Column

// newID takes a merchant's id, so that what happens before the merchant is there can name it.
func newID(ctx context.Context, q pg.Querier) (int64, error) {
	return pg.Value[int64](ctx, q, `SELECT nextval('merchants_id_seq')`, pg.Args{})
}

func insertTx(ctx context.Context, tx *pg.Tx, m Merchant) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO merchants (id, application_id, organization_id, name, status, country, currency, ein, nonprofit,
			bank_processor,
			time_zone, payout_schedule, payout_weekday, payout_day_of_month, next_payout_at, has_wallet_a,
				has_daf_provider, domains,
			minimum_charge, statement_descriptor, external_id, metadata, words, words_version, created_at, updated_at)
		OVERRIDING SYSTEM VALUE
		VALUES (@id, @application_id, @organization_id, @name, @status, @country, @currency, @ein, @nonprofit,
			@bank_processor,
			@time_zone, @schedule, @weekday, @day_of_month, @next, @has_wallet_a, @has_daf_provider, @domains,
			@minimum_charge, @statement_descriptor, @external_id, @metadata, @words, @words_version, @now, @now)`,
		pg.Args{"id": m.ID, "application_id": m.ApplicationID, "organization_id": m.OrganizationID, "name": m.Name,
			"status": m.Status, "country": m.Country, "currency": m.Currency, "ein": m.EIN, "nonprofit": m.Nonprofit,
			"bank_processor": m.ChosenBankProcessor, "time_zone": m.TimeZone, "schedule": m.PayoutSchedule,
			"weekday":      m.PayoutWeekday,
			"day_of_month": m.PayoutDayOfMonth, "next": m.NextPayoutAt, "has_wallet_a": m.HasWalletA,
			"has_daf_provider": m.HasDAFProvider, "domains": m.Domains, "minimum_charge": m.MinimumCharge,
			"statement_descriptor": m.StatementDescriptor,
			"external_id":          m.ExternalID, "metadata": m.Metadata,
			"words": m.words(), "words_version": textindex.Version, "now": m.CreatedAt})
	return err
}

// words are what searches and lists find a merchant by.
func (m Merchant) words() pgtype.TSVector {
	return textindex.Vector(m.Name, m.StatementDescriptor, deref(m.ExternalID))
}

// externalIDTaken is the constraint that keeps external ids apart.
const externalIDTaken = "merchants_application_id_external_id_key"

// told makes of an error that a taken external_id caused the fault that names who has it. The failed
// transaction is over.
func (s *Service) told(ctx context.Context, err error, applicationID int64, externalID *string) error {
	if pg.Violated(err) != externalIDTaken {
		return err
	}
	id, lost := pg.Value[int64](ctx, s.deps.Pool, `
		SELECT id FROM merchants WHERE application_id = @application_id AND external_id = @external_id`,
		pg.Args{"application_id": applicationID, "external_id": externalID})
	if lost != nil {
		return errors.Join(err, lost)
	}
	return fault.New(fault.KindConflict, "external_id_taken", "Another merchant has this external_id.").
		On("external_id").With("merchant_id", id)
}

// LockTx locks one merchant of the application until the transaction ends; others may still write
// rows that refer to it. It is the first lock that a flow takes.
func (s *Service) LockTx(ctx context.Context, tx *pg.Tx, applicationID, id int64) (Merchant, error) {
	m, err := pg.Find[Merchant](ctx, tx, `
		SELECT `+columns+` FROM merchants m WHERE m.application_id = @application_id AND m.id = @id FOR NO KEY UPDATE`,
		pg.Args{"application_id": applicationID, "id": id, "machine": s.deps.Clock.Machine()})
	return s.derive(m), err
}

// waitTx waits for a merchant's lock and takes it. What a statement that waits on its own reads of other tables, such
// as the fees, is of before it waited.
func waitTx(ctx context.Context, tx *pg.Tx, applicationID, id int64) error {
	_, err := tx.Exec(ctx, `SELECT FROM merchants WHERE application_id = @application_id
		AND id = @id FOR NO KEY UPDATE`, pg.Args{"application_id": applicationID, "id": id})
	return err
}

// Cause says who changed a merchant; a zero RequestID means no request.
type Cause struct {
	RequestID ids.Request
	Source    outbox.Source
}

// changeTx writes the outcome of a locked merchant as its next version, with the event.
func (s *Service) changeTx(tx *pg.Tx, m instant.Moment, before, after Merchant, c Cause) (Merchant, error) {
	after.Version, after.UpdatedAt = before.Version+1, instant.Of(m.At)
	after = s.derive(after)
	tx.Later(`
		UPDATE merchants
			SET version = @version, name = @name, status = @status, status_reason = @status_reason, ein = @ein,
			nonprofit = @nonprofit, bank_processor = @bank_processor, time_zone = @time_zone,
				payout_schedule = @schedule,
			payout_weekday = @weekday, payout_day_of_month = @day_of_month, payouts_paused_reason = @paused,
			has_wallet_a = @has_wallet_a, has_daf_provider = @has_daf_provider, daf_provider_connect_id = @connect_id,
				domains = @domains,
			minimum_charge = @minimum_charge, statement_descriptor = @statement_descriptor, external_id = @external_id,
				metadata = @metadata,
			words = @words, words_version = @words_version, updated_at = @now
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"version": after.Version, "name": after.Name, "status": after.Status,
			"status_reason": after.StatusReason,
			"ein":           after.EIN, "nonprofit": after.Nonprofit, "bank_processor": after.ChosenBankProcessor,
			"time_zone": after.TimeZone,
			"schedule":  after.PayoutSchedule, "weekday": after.PayoutWeekday, "day_of_month": after.PayoutDayOfMonth,
			"paused": after.PayoutsPausedReason, "has_wallet_a": after.HasWalletA,
			"has_daf_provider": after.HasDAFProvider, "connect_id": after.DAFProviderConnectID,
			"domains":        after.Domains,
			"minimum_charge": after.MinimumCharge, "statement_descriptor": after.StatementDescriptor,
			"external_id": after.ExternalID, "metadata": after.Metadata,
			"words": after.words(), "words_version": textindex.Version, "now": after.UpdatedAt,
			"application_id": after.ApplicationID, "id": after.ID})
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
