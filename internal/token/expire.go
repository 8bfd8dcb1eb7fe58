package token

import (
	"context"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// expiryBatch bounds one transaction of ExpireTokens.
const expiryBatch = 100

// ExpireTokens ends the life of a batch of the tokens of a view whose time is over, disabled ones too,
// shreds what the vault has of them, and says how many those were.
func (s *Service) ExpireTokens(ctx context.Context, v clock.View) (int, error) {
	return clock.Batch[Token, ids.Token]{
		Due: func(ctx context.Context, tx *pg.Tx, limit int, except []ids.Token) ([]Token, error) {
			return pg.All[Token](ctx, tx, `
				SELECT `+columns+` FROM tokens t
				WHERE (@only::bigint IS NULL OR t.application_id = @only)
					AND t.application_id <> ALL (@except::bigint[]) AND t.id <> ALL (@failed)
					AND t.status IN ('pending_verification', 'active', 'disabled') AND t.entry_mode <> 'payout_account'
						AND t.expires_at <= @now
				ORDER BY t.expires_at LIMIT @batch FOR NO KEY UPDATE OF t SKIP LOCKED`,
				v.Args(pg.Args{"batch": limit, "failed": except}))
		},
		Key: func(t Token) ids.Token { return t.ID },
		Do: func(_ context.Context, tx *pg.Tx, due []Token) error {
			for _, before := range due {
				after := before
				after.Status = Expired
				if _, err := changeTx(tx, v.Moment, before, after,
					cause{livemode: s.livemode(), source: outbox.Job}); err != nil {
					return err
				}
			}
			return nil
		},
	}.Run(ctx, s.deps.Pool, expiryBatch)
}

// NextExpiry is the earliest time later than after at which a token of the application expires if it
// is not used again; nil when none does.
func (s *Service) NextExpiry(ctx context.Context, applicationID int64, after time.Time) (*time.Time, error) {
	return pg.Value[*time.Time](ctx, s.deps.Pool, `
		SELECT min(expires_at) FROM tokens
		WHERE application_id = @application_id AND expires_at > @after
			AND status IN ('pending_verification', 'active', 'disabled') AND entry_mode <> 'payout_account'`,
		pg.Args{"application_id": applicationID, "after": after})
}
