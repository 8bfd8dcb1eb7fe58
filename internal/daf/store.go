package daf

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgtype"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/textindex"
)

// columns lists what a Donation is read from.
const columns = `d.id, d.version, d.application_id, d.merchant_id, d.kind, d.status, d.amount, d.currency,
	d.tracking_id, d.workflow_session_id, d.grant_id,
	CASE WHEN d.provider_name IS NOT NULL
		THEN jsonb_build_object('name', d.provider_name, 'reference', d.provider_reference) END AS provider,
	jsonb_build_object('id', d.fund_id, 'name', d.fund_name) AS fund, d.fees, d.fee_total, d.donor, d.anonymous,
		d.external_grant_id,
	d.external_id, d.note, d.metadata, (
		SELECT jsonb_agg(jsonb_build_object('status', h.status, 'source', h.source, 'key_name', h.key_name, 'user',
			h.user_name, 'note', h.note,
			'at', to_char(h.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY h.version)
		FROM daf_donation_statuses h WHERE h.application_id = d.application_id
			AND h.donation_id = d.id) AS status_history,
	d.failure, d.created_at, d.completed_at, d.canceled_at, d.updated_at, d.request_id`

// row is a donation with what is no one else's business.
type row struct {
	Donation
	// BodyHash is of the request that made it.
	BodyHash []byte `db:"body_hash"`
	// ProviderEventAt and ProviderEventID are of the provider's last event that was taken in.
	ProviderEventAt *instant.Time `db:"provider_event_at"`
	ProviderEventID *string       `db:"provider_event_id"`
}

// readTx reads a donation as the transaction sees it.
func (s *Service) readTx(ctx context.Context, tx *pg.Tx, applicationID int64, id ids.Donation) (row, error) {
	r, err := pg.Find[row](ctx, tx, `
		SELECT `+columns+`, d.body_hash, d.provider_event_at, d.provider_event_id FROM daf_donations d
		WHERE d.application_id = @application_id AND d.id = @id`,
		pg.Args{"application_id": applicationID, "id": id})
	r.Donation = s.derive(r.Donation)
	return r, err
}

// lockTx locks a donation and reads it. These are two statements: one that waits for the lock sees what
// the row has become, but not what was added to the history in the meantime.
func (s *Service) lockTx(ctx context.Context, tx *pg.Tx, applicationID int64, id ids.Donation) (row, error) {
	if _, err := pg.Find[struct {
		Version int `db:"version"`
	}](ctx, tx, `SELECT version FROM daf_donations WHERE application_id = @application_id AND id = @id FOR UPDATE`,
		pg.Args{"application_id": applicationID, "id": id}); err != nil {
		return row{}, err
	}
	return s.readTx(ctx, tx, applicationID, id)
}

// insertTx writes a new donation and the first line of its history; one whose external_id is taken is
// refused.
func insertTx(ctx context.Context, tx *pg.Tx, r row) error {
	ref := deref(r.Provider)
	written, err := tx.Exec(ctx, `
		INSERT INTO daf_donations (id, application_id, merchant_id, kind, status, amount, currency,
			workflow_session_id, grant_id,
			provider_name, provider_reference, fund_id, fund_name, fees, fee_total, donor, anonymous, external_id,
				metadata, body_hash,
			request_id, words, words_version, created_at, updated_at)
		VALUES (@id, @application_id, @merchant_id, @kind, @status, @amount, @currency, @workflow_session_id, @grant_id,
			nullif(@provider, ''), nullif(@reference, ''), @fund_id, @fund_name, @fees, @fee_total, @donor, @anonymous,
				@external_id, @metadata,
			@body_hash, @request_id, @words, @words_version, @now, @now)
		ON CONFLICT (application_id, external_id) DO NOTHING`,
		pg.Args{"id": r.ID, "application_id": r.ApplicationID, "merchant_id": r.MerchantID, "kind": r.Kind,
			"status": r.Status, "amount": r.Amount, "currency": r.Currency, "workflow_session_id": r.WorkflowSessionID,
			"grant_id": r.GrantID,
			"provider": ref.Name, "reference": ref.Reference, "fund_id": r.Fund.ID, "fund_name": r.Fund.Name,
			"fees":      r.Fees,
			"fee_total": r.FeeTotal, "donor": r.User, "anonymous": r.Anonymous, "external_id": r.ExternalID,
			"metadata":  r.Metadata,
			"body_hash": r.BodyHash, "request_id": r.RequestID, "words": r.words(), "words_version": textindex.Version,
			"now": r.CreatedAt})
	if err != nil {
		return err
	}
	if written == 0 {
		return takenTx(ctx, tx, r.ApplicationID, r.ExternalID)
	}
	historyTx(tx, r.Donation, r.StatusHistory[0], r.RequestID)
	return nil
}

// takenTx is the fault that names the donation of the application which has an external_id.
func takenTx(ctx context.Context, tx *pg.Tx, applicationID int64, externalID *string) error {
	id, err := pg.Value[ids.Donation](ctx, tx, `
		SELECT id FROM daf_donations WHERE application_id = @application_id AND external_id = @external_id`,
		pg.Args{"application_id": applicationID, "external_id": externalID})
	if err != nil {
		return errors.Join(errors.New("daf: no donation has the external_id that is taken"), err)
	}
	return fault.New(fault.KindConflict, "external_id_taken", "Another donation has this external_id.").
		On("external_id").With("donation_id", id.String())
}

// historyTx queues a line of the history, which the donation's version made.
func historyTx(tx *pg.Tx, d Donation, e StatusChange, requestID ids.Request) {
	tx.Later(`
		INSERT INTO daf_donation_statuses (application_id, merchant_id, donation_id, version, status, source, key_name,
			user_name, note, request_id, at)
		VALUES (@application_id, @merchant_id, @donation_id, @version, @status, @source, @key_name, @user, @note,
			@request_id, @at)`,
		pg.Args{"application_id": d.ApplicationID, "merchant_id": d.MerchantID, "donation_id": d.ID,
			"version": d.Version, "status": e.Status,
			"source": e.Source, "key_name": e.KeyName, "user": e.User, "note": e.Note, "request_id": requestID,
			"at": e.At})
}

// words are what searches find a donation by.
func (d Donation) words() pgtype.TSVector {
	texts := []string{d.User.FirstName, d.User.LastName, d.User.Note, d.Fund.Name, deref(d.TrackingID),
		deref(d.ExternalGrantID),
		deref(d.ExternalID), deref(d.Note)}
	return textindex.Vector(append(texts, mailbox.Forms(d.User.Email)...)...)
}

func updateTx(tx *pg.Tx, d Donation) {
	tx.Later(`
		UPDATE daf_donations SET version = @version, status = @status, tracking_id = @tracking_id,
			external_grant_id = @external_grant_id,
			note = @note, metadata = @metadata, failure = @failure, completed_at = @completed_at,
				canceled_at = @canceled_at,
			fees = @fees, fee_total = @fee_total,
			words = @words, words_version = @words_version, updated_at = @updated_at
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"fees": d.Fees, "fee_total": d.FeeTotal, "version": d.Version, "status": d.Status,
			"tracking_id": d.TrackingID, "external_grant_id": d.ExternalGrantID,
			"note": d.Note, "metadata": d.Metadata, "failure": d.Failure, "completed_at": d.CompletedAt,
			"canceled_at": d.CanceledAt,
			"words":       d.words(), "words_version": textindex.Version, "updated_at": d.UpdatedAt,
			"application_id": d.ApplicationID, "id": d.ID})
}
