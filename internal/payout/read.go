package payout

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/pg"
)

// Get returns a payout of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Payout, error) {
	if err := s.Check.Check(actor, authz.PayoutRead); err != nil {
		return Payout{}, err
	}
	payoutID, err := ids.ParsePayout(id)
	if err != nil {
		return Payout{}, fault.Missing()
	}
	p, err := pg.One[Payout](ctx, s.Pool, `SELECT `+columns+` FROM payouts WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": actor.ApplicationID, "id": payoutID})
	return s.derive(p), orMissing(err)
}

type paidOut struct {
	Charge ids.Charge `db:"charge_id"`
	Payout ids.Payout `db:"payout_id"`
}

// PayoutOfCharges tells in which payouts charges were, by the entry that made each available. A
// charge that is in none, or in one that failed or came back, is not in the answer.
func PayoutOfCharges(ctx context.Context, q pg.Querier, applicationID int64, charges []ids.Charge) (map[ids.Charge]ids.Payout, error) {
	rows, err := pg.All[paidOut](ctx, q, `
		SELECT l.charge_id, e.payout_id FROM ledger_entries l
		JOIN payout_entries e ON e.application_id = l.application_id AND e.entry_id = l.id AND e.active
		WHERE l.application_id = @application_id AND l.charge_id = ANY (@charges)
			AND l.kind IN ('capture', 'debit') AND l.credit = 'merchant_available'`,
		pg.Args{"application_id": applicationID, "charges": charges})
	out := make(map[ids.Charge]ids.Payout, len(rows))
	for _, r := range rows {
		out[r.Charge] = r.Payout
	}
	return out, err
}
