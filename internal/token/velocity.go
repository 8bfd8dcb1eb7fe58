package token

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

// Who tries stolen numbers tries many, or one often. What a payer does is far below these.
const (
	velocityWindow = time.Hour
	velocityTokens = 5  // of one card at one merchant within any window
	velocityAll    = 25 // of one card at all merchants of an application: more than a generous donor, few to try codes
)

// velocities are the limits of a card's tokens. Transactions count for them in this order. A card has other keys for
// each.
var velocities = []struct {
	most int
	key  func(newToken) []byte
}{{velocityTokens, newToken.cardAtMerchant}, {velocityAll, newToken.card}}

// card is the key of a card that is counted at all merchants of an application.
func (r newToken) card() []byte { return r.fingerprint }

// cardAtMerchant is the key of a card that is counted at one merchant.
func (r newToken) cardAtMerchant() []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "merchant %d %x", r.MerchantID, r.fingerprint))
	return sum[:]
}

// countTx counts the new tokens of cards, each of another card. More than a few of one within any hour are
// refused and not counted at the merchant; the refusals are at the places of their rows.
func countTx(ctx context.Context, tx *pg.Tx, rows []newToken, verdicts []idempotency.Verdict,
	now time.Time) ([]error, error) {
	refusals := make([]error, len(rows))
	for _, v := range velocities {
		var counted []cardUse
		for i, r := range rows {
			if r.counted && verdicts[i] == (idempotency.Verdict{}) && refusals[i] == nil {
				counted = append(counted, cardUse{i, cardKey{r.ApplicationID, v.key(r)}})
			}
		}
		if len(counted) == 0 {
			break
		}
		taken, err := takeTx(ctx, tx, counted, v.most, now)
		if err != nil {
			return nil, err
		}
		for _, use := range counted {
			if slices.ContainsFunc(taken, use.is) {
				continue
			}
			if refusals[use.row], err = tooOftenTx(ctx, tx, use.cardKey, v.most, now); err != nil {
				return nil, err
			}
		}
	}
	return refusals, nil
}

// takeTx counts a use of each card and returns those that were used less often than so many times before.
func takeTx(ctx context.Context, tx *pg.Tx, counted []cardUse, most int, now time.Time) ([]cardKey, error) {
	// transactions that count the same cards take them in one order
	slices.SortFunc(counted, func(a, b cardUse) int { return a.compare(b.cardKey) })
	ofCards := make([]pg.Args, len(counted))
	for i, use := range counted {
		ofCards[i] = pg.Args{"application_id": use.ApplicationID, "fingerprint": use.Fingerprint}
	}
	args := pg.Rows(ofCards)
	args["now"], args["old"], args["most"] = now, now.Add(-velocityWindow), most
	// times are the card's last ones, the newest first; the oldest of as many as may be says whether there may be one
	// more.
	return pg.All[cardKey](ctx, tx, `
		INSERT INTO card_velocity AS v (application_id, fingerprint, began_at, tokens, times)
		SELECT c.*, @now::timestamptz, 1, ARRAY[@now::timestamptz] FROM unnest(@rows::counted_card[]) AS c
		ON CONFLICT (application_id, fingerprint) DO UPDATE SET
			began_at = excluded.began_at, times = (excluded.times || v.times)[:@most::int],
			tokens = 1 + (SELECT count(*) FROM unnest(v.times[:@most::int - 1]) AS t WHERE t > @old)
		WHERE (v.times[@most::int] > @old) IS NOT TRUE
		RETURNING application_id, fingerprint`, args)
}

// cardKey names a card that an application's payers use, at one merchant or at all.
type cardKey struct {
	ApplicationID int64  `db:"application_id"`
	Fingerprint   []byte `db:"fingerprint"`
}

// cardUse is the card of a row.
type cardUse struct {
	row int
	cardKey
}

func (c cardKey) is(o cardKey) bool { return c.compare(o) == 0 }

func (c cardKey) compare(o cardKey) int {
	return cmp.Or(cmp.Compare(c.ApplicationID, o.ApplicationID), bytes.Compare(c.Fingerprint, o.Fingerprint))
}

// tooOftenTx is the refusal of a card that was used too often; it ends an hour after the oldest of the uses that fill
// one.
func tooOftenTx(ctx context.Context, tx *pg.Tx, card cardKey, most int, now time.Time) (refusal, err error) {
	oldest, err := pg.Value[time.Time](ctx, tx, `
		SELECT times[@most::int] FROM card_velocity WHERE application_id = @application_id
			AND fingerprint = @fingerprint`,
		pg.Args{"application_id": card.ApplicationID, "fingerprint": card.Fingerprint, "most": most})
	return fault.New(fault.KindLimited, "rate_limited",
		"This card was used too many times. Try again later, or use another card.").
		After(oldest.Add(velocityWindow).Sub(now)), err
}

// PurgeVelocity forgets a batch of the cards whose last token is an hour old and says how many those were. It leaves
// out those that are being counted: these are of now, and who counts them locks them in another order.
func (s *Service) PurgeVelocity(ctx context.Context) (int64, error) {
	return pg.Exec(ctx, s.deps.Pool, `
		DELETE FROM card_velocity WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM card_velocity WHERE began_at <= @old LIMIT @batch FOR UPDATE SKIP LOCKED))`,
		pg.Args{"old": s.deps.Now().Add(-velocityWindow), "batch": pg.PurgeBatch})
}
