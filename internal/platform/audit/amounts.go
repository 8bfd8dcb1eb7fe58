package audit

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// AmountsWithin adds up, by currency, the amounts of all objects that the person who acts made with a permission in the
// time until now, in any application.
func (l *Log) AmountsWithin(ctx context.Context, q pg.Querier, a authz.Actor, p authz.Permission,
	within time.Duration) (map[money.Currency]money.Amount, error) {
	type row struct {
		Currency money.Currency `db:"currency"`
		Amount   money.Amount   `db:"amount"`
	}
	since := l.now().Add(-within)
	rows, err := pg.All[row](ctx, q, `
		SELECT after ->> 'currency' AS currency, least(sum((after ->> 'amount')::bigint), @most)::bigint AS amount
		FROM audit_entries
		WHERE person_id = @person AND id >= @oldest AND created_at > @since AND permission = @permission
			AND outcome = @done AND after ->> 'currency' IS NOT NULL AND after ->> 'amount' IS NOT NULL
		GROUP BY 1`,
		pg.Args{"person": a.PersonID, "oldest": ids.FirstAuditEntry(since), "since": since, "permission": p,
			"done": Done, "most": mostAmounts})
	out := map[money.Currency]money.Amount{}
	for _, r := range rows {
		out[r.Currency] = r.Amount
	}
	return out, err
}

// mostAmounts bounds a sum of amounts, so that one more can be added to it.
const mostAmounts int64 = 1 << 60
