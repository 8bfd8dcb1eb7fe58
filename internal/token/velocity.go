package token

import (
	"context"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/pg"
)

// Who tries stolen numbers tries many, or one often. What a payer does is far below these.
const (
	velocityWindow = time.Hour
	velocityTokens = 5 // of one card, from all pages of an application

	declineWindow   = 10 * time.Minute
	declineLeast    = 20 // card charges of a merchant below which a ratio says nothing
	declineSlower   = 30 // percent
	declineRefused  = 60 // percent
	slowerAttempts  = 3  // a session, while a merchant's payers are slowed
	declineRecovers = time.Minute
)

// Recent is how a merchant's card charges of the last minutes ended.
type Recent struct {
	Made     int `db:"made"`
	Declined int `db:"declined"`
}

// above tells whether more than some percent were declined.
func (r Recent) above(percent int) bool {
	return r.Made >= declineLeast && r.Declined*100 > r.Made*percent
}

// watch refuses an attempt with a card at a merchant so many of whose charges are declined that somebody must be trying
// numbers out; below that, it leaves each session fewer attempts.
func (s *Service) watch(ctx context.Context, session SessionUse) error {
	if s.Recent == nil {
		return nil
	}
	recent, err := s.Recent(ctx, session.ApplicationID, session.MerchantID, s.Now().Add(-declineWindow))
	if err != nil {
		return err
	}
	if recent.above(declineRefused) || recent.above(declineSlower) && session.Attempts > slowerAttempts {
		return fault.New(fault.KindLimited, "rate_limited", "Card payments are slowed down here for a while. Please try again later.").
			After(declineRecovers)
	}
	return nil
}

// countTx counts a card's new token. More than a few within an hour are refused, which undoes what was counted.
func countTx(ctx context.Context, tx *pg.Tx, row newToken, now time.Time) error {
	type count struct {
		Began  time.Time `db:"began_at"`
		Tokens int       `db:"tokens"`
	}
	c, err := pg.One[count](ctx, tx, `
		INSERT INTO card_velocity AS v (application_id, fingerprint, began_at, tokens) VALUES (@application_id, @fingerprint, @now, 1)
		ON CONFLICT (application_id, fingerprint) DO UPDATE SET
			began_at = CASE WHEN v.began_at <= @old THEN excluded.began_at ELSE v.began_at END,
			tokens = CASE WHEN v.began_at <= @old THEN 1 ELSE v.tokens + 1 END
		RETURNING began_at, tokens`,
		pg.Args{"application_id": row.ApplicationID, "fingerprint": row.fingerprint, "now": now, "old": now.Add(-velocityWindow)})
	if err == nil && c.Tokens > velocityTokens {
		err = fault.New(fault.KindLimited, "rate_limited", "This card was used too often. Please try again later, or use another card.").
			After(c.Began.Add(velocityWindow).Sub(now))
	}
	return err
}

// PurgeVelocity forgets a batch of the cards whose hour is over and tells how many those were.
func (s *Service) PurgeVelocity(ctx context.Context) (int64, error) {
	return pg.Exec(ctx, s.Pool, `
		DELETE FROM card_velocity WHERE (application_id, fingerprint) IN (
			SELECT application_id, fingerprint FROM card_velocity WHERE began_at <= @old LIMIT @batch)`,
		pg.Args{"old": s.Now().Add(-velocityWindow), "batch": pg.PurgeBatch})
}
