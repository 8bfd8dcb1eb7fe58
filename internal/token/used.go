package token

import (
	"context"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// UsedTx notes that a token was charged: it lives on for its whole life from now, and the first
// networkID that it is given stays the one that later charges refer to. nil leaves it alone. Use is
// no change of the token: it makes no version and no event, the charge's says enough. A life that would be
// less than a day longer stays as it is: most tokens are charged at once, and a row is changed in place when
// no indexed column is.
func UsedTx(tx *pg.Tx, applicationID, merchantID int64, id ids.Token, networkID *string, now time.Time) {
	tx.Row(id, `
		UPDATE tokens t SET expires_at = CASE WHEN u.until >= t.expires_at + interval '1 day' THEN u.until
			ELSE t.expires_at END,
			network_transaction_id = coalesce(t.network_transaction_id, u.network_id), last_used_at = u.now
		FROM unnest(@rows::token_use[]) AS u
		WHERE t.application_id = u.application_id AND t.merchant_id = u.merchant_id AND t.id = u.id`,
		pg.Args{"until": now.AddDate(0, lifeMonths, 0), "network_id": networkID, "now": now,
			"application_id": applicationID, "merchant_id": merchantID, "id": id})
}

// Ending ends the life of a token.
type Ending struct {
	ApplicationID int64
	Token         ids.Token
	Reason        string // of one that is disabled, for people and programs: return_R10
	Livemode      bool
	Source        outbox.Source
	RequestID     ids.Request // zero: no request
}

// DisableTx keeps a token from being charged again. One that is not active any more is left alone.
func DisableTx(ctx context.Context, tx *pg.Tx, m instant.Moment, e Ending) error {
	return e.endTx(ctx, tx, m, Token.alive, func(t Token) Token { return t.disabled(e.Reason) })
}

// DeleteTx takes a token out of the vault for good, whatever state it is in.
func DeleteTx(ctx context.Context, tx *pg.Tx, m instant.Moment, e Ending) error {
	return e.endTx(ctx, tx, m, func(t Token) bool { return t.Status != Deleted }, func(t Token) Token {
		t.Status = Deleted
		return t
	})
}

// endTx locks the token and changes it, with an event, unless it ended before.
func (e Ending) endTx(ctx context.Context, tx *pg.Tx, m instant.Moment, open func(Token) bool,
	ended func(Token) Token) error {
	before, err := lockTx(ctx, tx, e.ApplicationID, e.Token)
	if err != nil || !open(before) {
		return err
	}
	_, err = changeTx(tx, m, before, ended(before), cause{e.Livemode, e.RequestID, e.Source})
	return err
}
