package erasure

import (
	"context"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/pg"
)

// payer is who is to be forgotten: what is theirs, and by what their words are known in the request log.
type payer struct {
	Erased
	applicationID int64
	address       string
	names         []string   // "first\nlast", each of whole names alone
	others        [][16]byte // refunds and disputes of the charges, the files submitted for those, and test events
	keys          []string   // of requests that were about any of these
	busy          bool
}

// addresses are the forms in which the address may have been written down: what is stored has the first.
func (p payer) addresses() []string { return mailbox.Forms(p.address) }

// findTx finds and locks what is a payer's: what carries the address, the charges of such tokens and the tokens of such
// charges.
func findTx(ctx context.Context, tx *pg.Tx, applicationID int64, address string) (payer, error) {
	p := payer{applicationID: applicationID, address: address}
	args := pg.Args{"application_id": applicationID, "address": address}
	var err error
	if p.Charges, err = pg.Column[ids.Charge](ctx, tx, lockCharges, args); err != nil {
		return p, err
	}
	if p.Tokens, err = pg.Column[ids.Token](ctx, tx, selectTokens, args); err != nil {
		return p, err
	}
	if p.Donations, err = pg.Column[ids.Donation](ctx, tx, lockDonations, args); err != nil {
		return p, err
	}
	if p.names, err = pg.Column[string](ctx, tx, selectNames, args); err != nil {
		return p, err
	}
	if p.others, err = pg.Column[[16]byte](ctx, tx, selectOthers,
		pg.Args{"application_id": applicationID, "charges": p.Charges}); err != nil {
		return p, err
	}
	p.busy, err = pg.Value[bool](ctx, tx, `
		SELECT EXISTS (SELECT FROM charges WHERE application_id = @application_id AND id = ANY (@charges)
			AND status = 'processing')
			OR EXISTS (SELECT FROM processor_operations WHERE application_id = @application_id AND state = 'open'
				AND (charge_id = ANY (@charges) OR subject_id = ANY (@objects)))
			OR EXISTS (SELECT FROM disputes WHERE application_id = @application_id AND charge_id = ANY (@charges)
				AND status IN ('needs_response', 'under_review'))
			OR EXISTS (SELECT FROM exports WHERE application_id = @application_id AND status IN ('queued', 'running'))`,
		pg.Args{"application_id": applicationID, "charges": p.Charges, "objects": p.objects()})
	return p, err
}

// What a payer's is found by has an index each: by the address, and the charges of a token by the last digits that they
// show of it, for a charge is found by its token nowhere else. A donor who gives no address is in none. One who gave it
// in the modal alone is known by the way through that.
const (
	lockCharges = `
		SELECT c.id AS value FROM charges c
		WHERE c.application_id = @application_id AND c.id IN (
			SELECT id FROM charges WHERE application_id = @application_id AND lower(billing->>'email') = lower(@address)
			UNION ALL SELECT p.id FROM tokens t
			JOIN charges p ON p.application_id = t.application_id AND p.payment_method->>'last4' = t.last4
				AND p.token_id = t.id
			WHERE t.application_id = @application_id AND lower(t.billing->>'email') = lower(@address))
		ORDER BY c.id FOR UPDATE OF c`
	selectTokens = `
		SELECT id AS value FROM tokens
		WHERE application_id = @application_id AND entry_mode <> 'payout_account'
			AND lower(billing->>'email') = lower(@address)
		UNION SELECT t.id FROM charges c
		JOIN tokens t ON t.application_id = c.application_id AND t.merchant_id = c.merchant_id AND t.id = c.token_id
		WHERE c.application_id = @application_id AND lower(c.billing->>'email') = lower(@address)
			AND t.entry_mode <> 'payout_account'
		ORDER BY value`
	donationsOf = `
		SELECT id FROM daf_donations
		WHERE application_id = @application_id AND donor->>'email' <> '' AND lower(donor->>'email') = lower(@address)
		UNION SELECT donation_id FROM daf_workflows
		WHERE application_id = @application_id AND donor->>'email' <> '' AND lower(donor->>'email') = lower(@address)
			AND donation_id IS NOT NULL`
	lockDonations = `
		SELECT d.id AS value FROM daf_donations d
		WHERE d.application_id = @application_id AND d.id IN (` + donationsOf + `)
		ORDER BY d.id FOR UPDATE OF d`
	selectNames = `
		SELECT DISTINCT lower(first || E'\n' || last) AS value FROM (
			SELECT billing->>'first_name' AS first, billing->>'last_name' AS last FROM tokens
			WHERE application_id = @application_id AND lower(billing->>'email') = lower(@address)
			UNION ALL SELECT billing->>'first_name', billing->>'last_name' FROM charges
			WHERE application_id = @application_id AND lower(billing->>'email') = lower(@address)
			UNION ALL SELECT donor->>'firstName', donor->>'lastName' FROM daf_donations
			WHERE application_id = @application_id AND id IN (` + donationsOf + `)
			UNION ALL SELECT donor->>'first_name', donor->>'last_name' FROM daf_workflows
			WHERE application_id = @application_id AND donor->>'email' <> ''
				AND lower(donor->>'email') = lower(@address)) n
		WHERE first <> '' AND last <> ''`
	selectOthers = `
		SELECT id AS value FROM refunds WHERE application_id = @application_id AND charge_id = ANY (@charges)
		UNION ALL SELECT id FROM disputes WHERE application_id = @application_id AND charge_id = ANY (@charges)
		UNION ALL SELECT unnest(evidence_files) FROM disputes WHERE application_id = @application_id
			AND charge_id = ANY (@charges)`
	workflowsOf = `
		DELETE FROM daf_workflows
		WHERE application_id = @application_id AND donor->>'email' <> '' AND lower(donor->>'email') = lower(@address)`
	linksOf = `
		UPDATE bank_links SET wrapped_key = NULL, number = NULL, details = NULL, email = NULL
		WHERE application_id = @application_id AND lower(email) = lower(@address)`
	receiptsTo = `UPDATE receipts SET email = 'erased' WHERE application_id = @application_id
		AND lower(email) = lower(@address)`
)

// eraseTx takes the payer out of everything but the audit log and the ledger, which never knew them.
func (p payer) eraseTx(ctx context.Context, tx *pg.Tx, now time.Time) error {
	p.recordsTx(tx)
	p.donationsTx(tx)
	p.attemptsTx(tx)
	if err := p.exportsTx(ctx, tx, now); err != nil {
		return err
	}
	if err := p.logsTx(ctx, tx); err != nil {
		return err
	}
	if err := p.eventsTx(ctx, tx); err != nil {
		return err
	}
	return p.answersTx(ctx, tx)
}

// recordsTx queues what leaves charges, their tokens, accounts that are to become some, and the outcome of them. The
// texts of mandates name no one: they stay, as proof.
func (p payer) recordsTx(tx *pg.Tx) {
	tx.Later(`UPDATE tokens SET billing = '{}' WHERE application_id = @application_id AND id = ANY (@tokens)`,
		pg.Args{"application_id": p.applicationID, "tokens": p.Tokens})
	tx.Later(`
		UPDATE charges SET billing = '{}', description = NULL, metadata = '{}', void_reason = NULL
		WHERE application_id = @application_id AND id = ANY (@charges)`,
		pg.Args{"application_id": p.applicationID, "charges": p.Charges})
	tx.Later(`UPDATE processor_operations SET note = NULL WHERE application_id = @application_id
		AND charge_id = ANY (@charges) AND kind = 'void'`,
		pg.Args{"application_id": p.applicationID, "charges": p.Charges})
	tx.Later(`UPDATE refunds SET note = NULL, metadata = '{}' WHERE application_id = @application_id
		AND charge_id = ANY (@charges)`, pg.Args{"application_id": p.applicationID, "charges": p.Charges})
	tx.Later(`
		DELETE FROM files WHERE application_id = @application_id AND id IN (
			SELECT unnest(evidence_files) FROM disputes WHERE application_id = @application_id
				AND charge_id = ANY (@charges))`,
		pg.Args{"application_id": p.applicationID, "charges": p.Charges})
	tx.Later(`
		UPDATE disputes SET evidence = '{}', evidence_files = '{}' WHERE application_id = @application_id
			AND charge_id = ANY (@charges)`,
		pg.Args{"application_id": p.applicationID, "charges": p.Charges})
	tx.Later(`UPDATE receipts SET email = 'erased' WHERE application_id = @application_id
		AND charge_id = ANY (@charges)`, pg.Args{"application_id": p.applicationID, "charges": p.Charges})
	tx.Later(linksOf, pg.Args{"application_id": p.applicationID, "address": p.address})
	tx.Later(receiptsTo, pg.Args{"application_id": p.applicationID, "address": p.address})
}

// donationsTx queues what leaves donations, and the ways through the modal that led to them.
func (p payer) donationsTx(tx *pg.Tx) {
	tx.Later(`
		UPDATE daf_donations SET donor = '{"firstName": "", "lastName": "", "email": "", "note": ""}', note = NULL,
			metadata = '{}'
		WHERE application_id = @application_id AND id = ANY (@donations)`,
		pg.Args{"application_id": p.applicationID, "donations": p.Donations})
	tx.Later(`UPDATE daf_donation_statuses SET note = NULL WHERE application_id = @application_id
		AND donation_id = ANY (@donations)`, pg.Args{"application_id": p.applicationID, "donations": p.Donations})
	tx.Later(`
		DELETE FROM daf_workflows WHERE application_id = @application_id AND donation_id = ANY (@donations)`,
		pg.Args{"application_id": p.applicationID, "donations": p.Donations})
	tx.Later(workflowsOf, pg.Args{"application_id": p.applicationID, "address": p.address})
}

// attemptsTx queues what leaves the answers of endpoints: they may repeat what they were told.
func (p payer) attemptsTx(tx *pg.Tx) {
	tx.Later(`
		UPDATE webhook_attempts a SET response_body = NULL, response_headers = '{}'
		FROM webhook_deliveries d JOIN events e ON e.application_id = d.application_id AND e.id = d.event_id
		WHERE d.application_id = @application_id AND e.object_id = ANY (@objects)
			AND a.application_id = d.application_id AND a.delivery_id = d.id`,
		pg.Args{"application_id": p.applicationID, "objects": p.objects()})
}

// chunkBatch is how many parts of files one statement deletes: each is long.
const chunkBatch = 100

// exportsTx ends the application's files: they are compressed, and quickly made again.
func (p payer) exportsTx(ctx context.Context, tx *pg.Tx, now time.Time) error {
	tx.Later(`
		UPDATE exports SET filters = '{}'
		WHERE application_id = @application_id AND position(lower(@address) IN lower(filters::text)) > 0`,
		pg.Args{"application_id": p.applicationID, "address": p.address})
	if p.Objects() == 0 {
		return nil
	}
	tx.Later(`
		UPDATE exports SET status = 'expired', version = version + 1, updated_at = @now
		WHERE application_id = @application_id AND status = 'done'`,
		pg.Args{"now": now, "application_id": p.applicationID})
	for {
		gone, err := tx.Exec(ctx, `
			DELETE FROM export_chunks WHERE (application_id, export_id, number) IN (
				SELECT application_id, export_id, number FROM export_chunks WHERE application_id = @application_id
					LIMIT @batch)`,
			pg.Args{"application_id": p.applicationID, "batch": chunkBatch})
		if err != nil || gone < chunkBatch {
			return err
		}
	}
}
