package token

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

// Who tries stolen numbers tries many, or one often. What a payer does is far below these.
const (
	velocityWindow = time.Hour
	velocityTokens = 5 // of one card within any window, from all pages of an application

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

// above reports whether more than some percent were declined.
func (r Recent) above(percent int) bool {
	return r.Made >= declineLeast && r.Declined*100 > r.Made*percent
}

// watch refuses an attempt with a card at a merchant so many of whose charges are declined that someone must be trying
// numbers out; below that, it leaves each session fewer attempts.
func (s *Service) watch(ctx context.Context, session SessionUse) error {
	if s.deps.Recent == nil {
		return nil
	}
	recent, err := s.declinesOf(ctx, owner{session.ApplicationID, session.MerchantID})
	if err != nil {
		return err
	}
	if recent.above(declineRefused) || recent.above(declineSlower) && session.Attempts > slowerAttempts {
		return fault.New(fault.KindLimited, "rate_limited",
			"Too many card payments were declined here. Try again later.").
			After(declineRecovers)
	}
	return nil
}

// countTx counts the new tokens of cards, each of another card. More than a few of one within any hour are
// refused and not counted; the refusals stand at the places of their rows.
func countTx(ctx context.Context, tx *pg.Tx, rows []newToken, verdicts []idempotency.Verdict,
	now time.Time) ([]error, error) {
	refusals := make([]error, len(rows))
	var counted []newToken
	for i, r := range rows {
		if r.counted && verdicts[i] == (idempotency.Verdict{}) {
			counted = append(counted, r)
		}
	}
	if len(counted) == 0 {
		return refusals, nil
	}
	slices.SortFunc(counted, newToken.compareCard) // transactions that count the same cards take them in one order
	ofCards := make([]pg.Args, len(counted))
	for i, r := range counted {
		ofCards[i] = pg.Args{"application_id": r.ApplicationID, "fingerprint": r.fingerprint}
	}
	args := pg.Rows(ofCards)
	args["now"], args["old"], args["most"] = now, now.Add(-velocityWindow), velocityTokens
	// times are the card's last ones, the newest first; the oldest of as many as may be says whether there may be one
	// more.
	taken, err := pg.All[cardKey](ctx, tx, `
		INSERT INTO card_velocity AS v (application_id, fingerprint, began_at, tokens, times)
		SELECT c.*, @now::timestamptz, 1, ARRAY[@now::timestamptz] FROM unnest(@rows::counted_card[]) AS c
		ON CONFLICT (application_id, fingerprint) DO UPDATE SET
			began_at = excluded.began_at, times = (excluded.times || v.times)[:@most::int],
			tokens = 1 + (SELECT count(*) FROM unnest(v.times[:@most::int - 1]) AS t WHERE t > @old)
		WHERE (v.times[@most::int] > @old) IS NOT TRUE
		RETURNING application_id, fingerprint`, args)
	if err != nil {
		return nil, err
	}
	for i, r := range rows {
		if !r.counted || verdicts[i] != (idempotency.Verdict{}) || slices.ContainsFunc(taken, r.isOf) {
			continue
		}
		if refusals[i], err = tooOftenTx(ctx, tx, r, now); err != nil {
			return nil, err
		}
	}
	return refusals, nil
}

// cardKey names a card that an application's payers use.
type cardKey struct {
	ApplicationID int64  `db:"application_id"`
	Fingerprint   []byte `db:"fingerprint"`
}

func (r newToken) isOf(c cardKey) bool {
	return r.ApplicationID == c.ApplicationID && bytes.Equal(r.fingerprint, c.Fingerprint)
}

func (r newToken) compareCard(o newToken) int {
	return cmp.Or(cmp.Compare(r.ApplicationID, o.ApplicationID), bytes.Compare(r.fingerprint, o.fingerprint))
}

// tooOftenTx is the refusal of a card that was used too often; it ends an hour after the oldest of the uses that fill
// one.
func tooOftenTx(ctx context.Context, tx *pg.Tx, r newToken, now time.Time) (refusal, err error) {
	oldest, err := pg.Value[time.Time](ctx, tx, `
		SELECT times[@most::int] FROM card_velocity WHERE application_id = @application_id
			AND fingerprint = @fingerprint`,
		pg.Args{"application_id": r.ApplicationID, "fingerprint": r.fingerprint, "most": velocityTokens})
	return fault.New(fault.KindLimited, "rate_limited",
		"This card was used too many times. Try again later, or use another card.").
		After(oldest.Add(velocityWindow).Sub(now)), err
}

// PurgeVelocity forgets a batch of the cards whose last token is an hour old and says how many those were.
func (s *Service) PurgeVelocity(ctx context.Context) (int64, error) {
	return pg.Exec(ctx, s.deps.Pool, `
		DELETE FROM card_velocity WHERE (application_id, fingerprint) IN (
			SELECT application_id, fingerprint FROM card_velocity WHERE began_at <= @old LIMIT @batch)`,
		pg.Args{"old": s.deps.Now().Add(-velocityWindow), "batch": pg.PurgeBatch})
}
