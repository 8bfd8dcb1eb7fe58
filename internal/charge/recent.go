package charge

import (
	"context"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/token"
)

// Recent says how a merchant's card charges since some time ended, of many the last thousand; those still at work count
// as made.
func (s *Service) Recent(ctx context.Context, applicationID, merchantID int64, since time.Time) (token.Recent, error) {
	return pg.One[token.Recent](ctx, s.deps.Pool, `
		SELECT count(*)::int AS made, count(*) FILTER (WHERE status = 'failed')::int AS declined
		FROM (SELECT status FROM charges
			WHERE application_id = @application_id AND merchant_id = @merchant_id AND type = 'cc' AND id >= @edge
			ORDER BY id DESC LIMIT 1000) last`,
		pg.Args{"application_id": applicationID, "merchant_id": merchantID, "edge": ids.FirstCharge(since)})
}
