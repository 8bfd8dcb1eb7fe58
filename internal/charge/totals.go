package charge

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/pg"
)

// Totals are what charges of one currency come to. Amounts are minor units of Currency.
type Totals struct {
	Currency money.Currency `db:"currency"`
	Count    int64          `db:"count"`
	Failed   int64          `db:"failed"`   // of them: declined, or a bank debit that came back before it settled
	Decided  int64          `db:"decided"`  // of them: approved or failed, no longer in processing
	Captured money.Amount   `db:"captured"` // what was taken, whatever became of it since
	Refunded money.Amount   `db:"refunded"`
	Returned money.Amount   `db:"returned"` // bank debits that came back after they had settled
	Disputed money.Amount   `db:"disputed"` // held for disputes, or lost by them
	Fees     money.Amount   `db:"fees"`
}

// Net is what is left for the merchants.
func (t Totals) Net() money.Amount {
	return t.Captured - t.Refunded - t.Returned - t.Disputed - t.Fees
}

// Plus adds up totals of the same currency.
func (t Totals) Plus(o Totals) Totals {
	return Totals{Currency: o.Currency, Count: t.Count + o.Count, Failed: t.Failed + o.Failed, Decided: t.Decided + o.Decided, Captured: t.Captured + o.Captured,
		Refunded: t.Refunded + o.Refunded, Returned: t.Returned + o.Returned, Disputed: t.Disputed + o.Disputed, Fees: t.Fees + o.Fees}
}

// Totals adds up a list of charges by currency, without regard to its page: the newest most of them, or all
// for 0. What is older than most is as if it were not there, so that the answer's time is bounded.
func (s *Service) Totals(ctx context.Context, actor authz.Actor, in ListInput, most int) ([]Totals, error) {
	if err := s.Check.Check(actor, authz.ChargeRead); err != nil {
		return nil, err
	}
	in.Merchants = actor.Within(in.Merchants)
	args, err := s.selection(ctx, actor.ApplicationID, in)
	if err != nil {
		return nil, err
	}
	args["most_rows"] = limit(most)
	return pg.Planned[Totals](ctx, s.Pool, `
		SELECT currency, `+sums+`
		FROM (SELECT * FROM charges `+selected+` ORDER BY id DESC LIMIT @most_rows::bigint) chosen
		GROUP BY currency ORDER BY currency DESC`, args)
}

// sums are the members of Totals.
const sums = `count(*) AS count, count(*) FILTER (WHERE status = 'failed') AS failed,
	count(*) FILTER (WHERE status <> 'processing') AS decided,
	sum(amount_captured)::bigint AS captured, sum(amount_refunded)::bigint AS refunded,
	sum(CASE WHEN status = 'returned' THEN amount_captured - amount_refunded ELSE 0 END)::bigint AS returned,
	sum(CASE WHEN status = 'returned' THEN 0 ELSE amount_disputed END)::bigint AS disputed,
	sum(fee_total)::bigint AS fees`

// limit is how many rows a statement reads; NULL for all.
func limit(most int) *int {
	if most == 0 {
		return nil
	}
	return &most
}

// Day is what the charges of one currency come to that were made on one day.
type Day struct {
	Day instant.Date `db:"day"`
	Totals
}

// Days adds up a list of charges by the day that they were made on in a zone, named as IANA does, and by
// currency, the first day first. Days without charges are left out.
func (s *Service) Days(ctx context.Context, actor authz.Actor, in ListInput, zone string) ([]Day, error) {
	if err := s.Check.Check(actor, authz.ChargeRead); err != nil {
		return nil, err
	}
	in.Merchants = actor.Within(in.Merchants)
	args, err := s.selection(ctx, actor.ApplicationID, in)
	if err != nil {
		return nil, err
	}
	args["zone"] = zone
	return pg.Planned[Day](ctx, s.Pool, `
		SELECT (created_at AT TIME ZONE @zone)::date AS day, currency, `+sums+`
		FROM charges `+selected+`
		GROUP BY 1, currency ORDER BY 1, currency DESC`, args)
}
