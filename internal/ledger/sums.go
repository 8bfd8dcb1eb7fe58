package ledger

import (
	"cmp"
	"context"
	"slices"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// KindSum is what postings of one kind changed in what a merchant is owed: positive is more.
type KindSum struct {
	Kind   string       `json:"kind"`
	Count  int          `json:"count"`
	Amount money.Amount `json:"amount"`
}

// Sums are a merchant's books over a time: the opening total and the amounts of the kinds add up to
// the closing total. What only moved between the merchant's accounts, such as a release, shows in
// opening and closing balances and in no kind.
type Sums struct {
	Currency money.Currency
	Opening  Accounts
	Closing  Accounts
	Kinds    []KindSum // by kind, each with at least one posting
}

// grouped is a sum over postings, or of a present balance, whose kind is "".
type grouped struct {
	Currency money.Currency `db:"currency"`
	Kind     string         `db:"kind"`
	Debit    Account        `db:"debit"`
	Credit   Account        `db:"credit"`
	Inside   bool           `db:"inside"` // of the time asked for; else after it
	Amount   money.Amount   `db:"amount"`
	Count    int            `db:"count"`
}

// SumsBetween computes a merchant's books from one time of the application's clock up to, and
// without, another. It starts from the present balance and takes off what was posted since, all in one
// statement, so that it costs as much as the time is long and ago, and a period's closing balance is
// the next one's opening balance. [pg.ErrNone] if the application has no such merchant.
func SumsBetween(ctx context.Context, q pg.Querier, applicationID, merchantID int64, from, to time.Time) (Sums, error) {
	rows, err := pg.All[grouped](ctx, q, `
		SELECT m.currency, '' AS kind, coalesce(b.account, '') AS debit, '' AS credit, false AS inside,
			coalesce(b.balance, 0)::bigint AS amount, 0 AS count
		FROM merchants m LEFT JOIN LATERAL (`+present+`) b ON true
		WHERE m.application_id = @application_id AND m.id = @merchant_id
		UNION ALL
		SELECT e.currency, e.kind, e.debit, e.credit, e.created_at < @to, sum(e.amount)::bigint, count(*)::int
		FROM merchants m JOIN ledger_entries e
			ON e.application_id = m.application_id AND e.merchant_id = m.id AND e.currency = m.currency
		WHERE m.application_id = @application_id AND m.id = @merchant_id AND e.created_at >= @from
		GROUP BY 1, 2, 3, 4, 5`,
		pg.Args{"application_id": applicationID, "merchant_id": merchantID, "from": from, "to": to})
	if err != nil {
		return Sums{}, err
	}
	if len(rows) == 0 {
		return Sums{}, pg.ErrNone
	}
	return sumsOf(rows), nil
}

func sumsOf(rows []grouped) Sums {
	out := Sums{Currency: rows[0].Currency, Kinds: []KindSum{}}
	kinds := make(map[string]KindSum)
	for _, r := range rows {
		if r.Kind == "" {
			out.Opening.add(r.Debit, -r.Amount)
			out.Closing.add(r.Debit, -r.Amount)
			continue
		}
		undo(&out.Opening, r)
		if !r.Inside {
			undo(&out.Closing, r)
			continue
		}
		var change Accounts
		undo(&change, r)
		if amount := -change.Total(); amount != 0 {
			k := kinds[r.Kind]
			kinds[r.Kind] = KindSum{Kind: r.Kind, Count: k.Count + r.Count, Amount: k.Amount + amount}
		}
	}
	for _, k := range kinds {
		out.Kinds = append(out.Kinds, k)
	}
	slices.SortFunc(out.Kinds, func(a, b KindSum) int { return cmp.Compare(a.Kind, b.Kind) })
	return out
}

// undo takes postings off a balance.
func undo(a *Accounts, r grouped) {
	a.add(r.Credit, -r.Amount)
	a.add(r.Debit, r.Amount)
}
