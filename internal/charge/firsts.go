package charge

import (
	"context"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/token"
)

// Firsts reads how the first charges of recent card tokens ended: of a merchant, of an address, or of the whole
// application. Tokens of cards that had paid before are left out. A charge that never reached a processor, or that the
// processor could not work on, says nothing about the card; nor does one that a rule of the merchant blocked before the
// card's issuer was asked. Outcomes are those of the last tokens and of the last charges: an attacker may make any
// number of tokens before the first is charged. The charges are read only if there are more tokens than are searched.
func (s *Service) Firsts(ctx context.Context, of token.Group) (token.Firsts, error) {
	return firstsOf(ctx, s.deps.Pool, of)
}

func firstsOf(ctx context.Context, q pg.Querier, of token.Group) (token.Firsts, error) {
	args := pg.Args{"application_id": of.ApplicationID, "since": ids.FirstToken(of.Since),
		"charged": ids.FirstCharge(of.Charged), "waited": ids.FirstToken(of.Waited), "hour": ids.FirstToken(of.Hour),
		"most": of.Most, "scanned": firstsScanned}
	switch {
	case of.Address != nil:
		args["address"] = of.Address
		return pg.One[token.Firsts](ctx, q, firstsTokens+ofAddress+firstsCharges+firstsJoined+ofAddress+
			firstsTail, args)
	case of.MerchantID != 0:
		args["merchant_id"] = of.MerchantID
		return pg.One[token.Firsts](ctx, q, firstsTokens+` AND a.merchant_id = @merchant_id`+firstsCharges+
			` AND c.merchant_id = @merchant_id`+firstsJoined+` AND a.merchant_id = @merchant_id`+firstsTail, args)
	}
	return pg.One[token.Firsts](ctx, q, firstsTokens+firstsCharges+firstsJoined+firstsTail, args)
}

// firstsScanned is how many tokens and how many charges are searched for outcomes, the last ones.
const firstsScanned = 1000

const (
	ofAddress    = ` AND a.address = @address`
	firstsTokens = `
		WITH made AS (
			SELECT a.token_id, a.merchant_id, a.fingerprint, a.address FROM card_attempts a
			WHERE a.application_id = @application_id AND a.token_id >= @since AND NOT a.known`
	firstsCharges = ` ORDER BY a.token_id DESC LIMIT @scanned
		), scanned AS (
			SELECT * FROM made
			UNION
			SELECT a.token_id, a.merchant_id, a.fingerprint, a.address FROM (
				SELECT c.token_id FROM charges c WHERE c.application_id = @application_id AND c.id >= @charged
					AND (SELECT count(*) FROM made) = @scanned`
	firstsJoined = ` ORDER BY c.id DESC LIMIT @scanned
			) last JOIN card_attempts a ON a.token_id = last.token_id
			WHERE a.application_id = @application_id AND a.token_id >= @since AND NOT a.known`
	firstsTail = `
		), tried AS (
			SELECT s.*, first.id AS charge_id, first.status, first.failure
			FROM scanned s LEFT JOIN LATERAL (
				SELECT c.id, c.status, c.failure FROM charges c
				WHERE c.application_id = @application_id AND c.token_id = s.token_id ORDER BY c.id LIMIT 1
			) first ON true
		), recent AS (
			SELECT token_id, fingerprint, address, status FROM tried ORDER BY token_id DESC LIMIT @most
		), outcomes AS (
			SELECT token_id, merchant_id, fingerprint, charge_id, status = 'failed' AS declined FROM tried
			WHERE charge_id >= @charged AND ` + token.SaysOfCard + `
			ORDER BY charge_id DESC LIMIT @most
		), ended AS (
			SELECT DISTINCT ON (fingerprint) merchant_id, charge_id, declined FROM outcomes
			ORDER BY fingerprint, charge_id DESC
		)
		SELECT coalesce((SELECT array_agg(declined ORDER BY charge_id DESC) FROM ended), '{}') AS declines,
			(SELECT token_id FROM outcomes WHERE declined ORDER BY token_id LIMIT 1) AS first_declined,
			(SELECT count(DISTINCT merchant_id) FROM ended WHERE declined)::int AS merchants,
			count(*) FILTER (WHERE token_id >= @hour)::int AS made,
			count(*) FILTER (WHERE token_id >= @hour AND status IS NULL AND token_id < @waited)::int AS unused,
			count(DISTINCT fingerprint)::int AS cards, count(DISTINCT address)::int AS addresses
		FROM recent`
)
