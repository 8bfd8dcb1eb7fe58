package charge

import (
	"context"
	"reflect"

	"svcpay/internal/authz"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// Totals are what charges of one currency come to. Amounts are minor units of Currency.
type Totals struct {
	Currency money.Currency `db:"currency"`
	Count    int64          `db:"count"`
	Failed   int64          `db:"failed"`   // of them: declined, or a bank debit that came back before it settled
	Decided  int64          `db:"decided"`  // of them: approved or failed, no longer in processing
	Captured money.Amount   `db:"captured"` // what was taken, whatever became of it since
	Refunded money.Amount   `db:"refunded"`
	// bank debits that came back after they had settled, whatever was refunded of them before
	Returned money.Amount `db:"returned"`
	Disputed money.Amount `db:"disputed"` // held for disputes, or lost by them, whatever was refunded next to
	Fees     money.Amount `db:"fees"`
}

// Net is what is left for the merchants.
func (t Totals) Net() money.Amount {
	return t.Captured - t.Refunded - t.Returned - t.Disputed - t.Fees
}

// Plus adds up totals of the same currency.
func (t Totals) Plus(o Totals) Totals {
	return Totals{Currency: o.Currency, Count: t.Count + o.Count, Failed: t.Failed + o.Failed,
		Decided: t.Decided + o.Decided, Captured: t.Captured + o.Captured,
		Refunded: t.Refunded + o.Refunded, Returned: t.Returned + o.Returned, Disputed: t.Disputed + o.Disputed,
		Fees: t.Fees + o.Fees}
}

// Totals adds up a list of charges by currency, without regard to its page. It fails with page.ErrTooMany where that
// takes too long.
func (s *Service) Totals(ctx context.Context, actor authz.Actor, in ListInput) ([]Totals, error) {
	args, err := s.readable(ctx, actor, in)
	if err != nil {
		return nil, err
	}
	sums, err := pg.Planned[Totals](ctx, s.deps.Pool, sumUp+`charges`+selected+byCurrency, args)
	return sums, pg.TooMany(err)
}

// FewTotals is Totals of a list of at most so many charges. Of a longer list it returns nothing, as of an empty one:
// it looks for one beyond, which an index tells on its own, before it looks at any charge.
func (s *Service) FewTotals(ctx context.Context, actor authz.Actor, in ListInput, most int) ([]Totals, error) {
	args, err := s.readable(ctx, actor, in)
	if err != nil {
		return nil, err
	}
	if actor.Within(nil) == nil && reflect.DeepEqual(in, ListInput{Page: in.Page}) {
		return s.fewTotalsOfAll(ctx, actor.ApplicationID, most)
	}
	args["limit"] = most
	return pg.Planned[Totals](ctx, s.deps.Pool, selectFew, args)
}

// fewTotalsOfAll is FewTotals of all charges of an application. No charge is ever deleted: where there were more, there
// still are, and no one is asked.
func (s *Service) fewTotalsOfAll(ctx context.Context, applicationID int64, most int) ([]Totals, error) {
	if known, ok := s.exceeded.Load(applicationID); ok && most <= known.(int) {
		return nil, nil
	}
	args := pg.Args{"application_id": applicationID, "limit": most}
	out, err := pg.Planned[Totals](ctx, s.deps.Pool, selectFewOfAll, args)
	if err != nil || len(out) > 0 {
		return out, err
	}
	over, err := pg.Value[bool](ctx, s.deps.Pool, `SELECT EXISTS (`+selectBeyond+`)`, args)
	if err == nil && over {
		s.exceeded.Store(applicationID, most)
	}
	return nil, err
}

const (
	sumUp      = `SELECT currency, ` + Sums + ` FROM `
	byCurrency = `
		GROUP BY currency ORDER BY currency DESC`

	selectFew = sumUp + `(SELECT * FROM charges` + selected + `
			AND NOT EXISTS (SELECT FROM charges` + selected + `
				ORDER BY id DESC OFFSET @limit::bigint LIMIT 1)
			ORDER BY id DESC LIMIT @limit) few` + byCurrency

	// selectFewOfAll counts all that an application has from the oldest on: the index answers for what has long been
	// written, and asks the table about each charge that is new. What filters select may be new alone.
	selectFewOfAll = sumUp + `(SELECT * FROM charges
			WHERE application_id = @application_id
			AND NOT EXISTS (` + selectBeyond + `)
			ORDER BY id DESC LIMIT @limit) few` + byCurrency
	selectBeyond = `SELECT FROM charges WHERE application_id = @application_id
		ORDER BY id OFFSET @limit::bigint LIMIT 1`
)

// Sums are the members of Totals, over charges.
const Sums = `count(*) AS count, count(*) FILTER (WHERE status = 'failed') AS failed,
	count(*) FILTER (WHERE status <> 'processing') AS decided,
	sum(amount_captured)::bigint AS captured, sum(amount_refunded)::bigint AS refunded,
	sum(CASE WHEN status = 'returned' THEN amount_captured ELSE 0 END)::bigint AS returned,
	sum(amount_contested)::bigint AS disputed,
	sum(fee_total)::bigint AS fees`
