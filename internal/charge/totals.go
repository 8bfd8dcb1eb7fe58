package charge

import (
	"context"
	"errors"
	"reflect"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
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
	Returned money.Amount   `db:"returned"` // bank debits that came back after they had settled, whatever was refunded of them before
	Disputed money.Amount   `db:"disputed"` // held for disputes, or lost by them, whatever was refunded beside
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

// Totals adds up a list of charges by currency, without regard to its page. It fails with page.ErrTooMany where that takes too long.
func (s *Service) Totals(ctx context.Context, actor authz.Actor, in ListInput) ([]Totals, error) {
	args, err := s.readable(ctx, actor, in)
	if err != nil {
		return nil, err
	}
	sums, err := pg.Planned[Totals](ctx, s.deps.Pool, sumUp+`charges`+selected+byCurrency, args)
	return sums, pg.TooMany(err)
}

// FewTotals is Totals of a list of at most so many charges. Of a longer list it returns nothing, as of an empty one:
// it looks for one beyond, which an index tells by itself, before it looks at any charge.
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
// still are, and nobody is asked.
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
	sumUp      = `SELECT currency, ` + sums + ` FROM `
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
	selectBeyond = `SELECT FROM charges WHERE application_id = @application_id ORDER BY id OFFSET @limit::bigint LIMIT 1`
)

// sums are the members of Totals.
const sums = `count(*) AS count, count(*) FILTER (WHERE status = 'failed') AS failed,
	count(*) FILTER (WHERE status <> 'processing') AS decided,
	sum(amount_captured)::bigint AS captured, sum(amount_refunded)::bigint AS refunded,
	sum(CASE WHEN status = 'returned' THEN amount_captured ELSE 0 END)::bigint AS returned,
	sum(amount_contested)::bigint AS disputed,
	sum(fee_total)::bigint AS fees`

// sumsOfTotals are sums of them.
const sumsOfTotals = `sum(count)::bigint AS count, sum(failed)::bigint AS failed, sum(decided)::bigint AS decided,
	sum(captured)::bigint AS captured, sum(refunded)::bigint AS refunded, sum(returned)::bigint AS returned,
	sum(disputed)::bigint AS disputed, sum(fees)::bigint AS fees`

// Day is what the charges of one currency come to that were made on one day.
type Day struct {
	Day instant.Date `db:"day"`
	Totals
}

// Days adds up a list of charges by the day that they were made on in a zone, named as IANA does, and by
// currency, the first day first. Days without charges are left out. Charges that are in the totals are not read:
// what became of one of them counts as soon as it is folded, everything else at once.
func (s *Service) Days(ctx context.Context, actor authz.Actor, in ListInput, zone string) ([]Day, error) {
	if err := s.deps.Check.Check(actor, authz.ChargeRead); err != nil {
		return nil, err
	}
	in.Merchants = actor.Within(in.Merchants)
	return s.days(ctx, s.deps.Pool, actor.ApplicationID, in, zone)
}

func (s *Service) days(ctx context.Context, q pg.Querier, applicationID int64, in ListInput, zone string) ([]Day, error) {
	folded, err := s.folded(ctx, applicationID, in)
	if err != nil {
		return nil, err
	}
	if folded.Until != nil {
		in.Created.From = folded.Until
	}
	args, err := s.selection(ctx, applicationID, in)
	if err != nil {
		return nil, err
	}
	args["zone"], args["folded_from"], args["folded_until"] = zone, folded.From, folded.Until
	return pg.Planned[Day](ctx, q, selectDays, args)
}

// selectDays adds up totals, of no time without an end, and charges. An application's totals are those of no merchant.
const selectDays = `
	SELECT day, currency, ` + sumsOfTotals + ` FROM (
		SELECT (quarter AT TIME ZONE @zone)::date AS day, currency, count, failed, decided, captured, refunded, returned, disputed, fees
		FROM charge_totals
		WHERE application_id = @application_id AND quarter < @folded_until AND (@folded_from::timestamptz IS NULL OR quarter >= @folded_from)
			AND (merchant_id = ANY (@merchants) OR @merchants IS NULL AND merchant_id IS NULL)
		UNION ALL
		SELECT (created_at AT TIME ZONE @zone)::date, currency, ` + sums + `
		FROM charges ` + selected + `
		GROUP BY 1, currency) parts
	GROUP BY day, currency ORDER BY day, currency DESC`

// folded is the part of a list's time whose charges are in the totals; none has no end. Totals are of whole
// quarters, and know no filter but the merchant.
func (s *Service) folded(ctx context.Context, applicationID int64, in ListInput) (page.Times, error) {
	span := in.Created
	if !reflect.DeepEqual(in, ListInput{Created: span, Merchants: in.Merchants}) || !whole(span.From) || !whole(span.Until) {
		return page.Times{}, nil
	}
	until, err := pg.Value[time.Time](ctx, s.deps.Pool, `SELECT until FROM charge_cutoffs WHERE application_id = @application_id`,
		pg.Args{"application_id": applicationID})
	switch {
	case errors.Is(err, pg.ErrNone):
		return page.Times{}, nil
	case span.Until != nil && span.Until.Before(until):
		until = *span.Until
	}
	if span.From != nil && until.Before(*span.From) {
		return page.Times{}, err
	}
	return page.Times{From: span.From, Until: &until}, err
}

// whole tells whether a time is where a quarter of an hour begins.
func whole(t *time.Time) bool { return t == nil || t.Equal(t.Truncate(quarter)) }
