package token

import (
	"context"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/pg"
)

// UsedTx notes that a token was charged: it lives on for its whole life from now, and the first
// networkID that it is given stays the one that later charges refer to. nil leaves it alone.
func UsedTx(tx *pg.Tx, applicationID, merchantID int64, id ids.Token, networkID *string, now time.Time) {
	tx.Later(`
		UPDATE tokens SET expires_at = @until, network_transaction_id = coalesce(network_transaction_id, @network_id),
			last_used_at = @now, version = version + 1, updated_at = @now
		WHERE application_id = @application_id AND merchant_id = @merchant_id AND id = @id`,
		pg.Args{"until": now.AddDate(0, lifeMonths, 0), "network_id": networkID, "now": now,
			"application_id": applicationID, "merchant_id": merchantID, "id": id})
}

// DisableTx ends the life of a token that must not be charged again; reason is kept for people. One
// that is not active any more is left alone.
func DisableTx(_ context.Context, tx *pg.Tx, m instant.Moment, applicationID int64, id ids.Token, reason string) error {
	tx.Later(`
		UPDATE tokens SET status = 'disabled', disabled_reason = @reason, version = version + 1, updated_at = @now
		WHERE application_id = @application_id AND id = @id AND status IN ('active', 'pending_verification')`,
		pg.Args{"application_id": applicationID, "id": id, "reason": reason, "now": m.At})
	return nil
}
