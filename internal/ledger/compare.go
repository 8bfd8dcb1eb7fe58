package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// pot is what a running total is kept for.
type pot struct {
	MerchantID int64          `db:"merchant_id"`
	Account    Account        `db:"account"`
	Currency   money.Currency `db:"currency"`
}

// Difference is a running total that is not the sum of its entries, debits minus credits.
type Difference struct {
	ApplicationID int64
	MerchantID    int64
	Account       Account
	Currency      money.Currency
	Total, Sum    money.Amount
}

// Compare sums the entries of every application up to its cut-off and returns the totals that say
// otherwise: an entry was committed too long after its id was made, or someone changed what no one
// may. Each is logged as an error and is in ledger_differences until a later comparison no
// longer finds it. One whose entries take longer than its share is gone on with by the next call, after all others.
func (s *Service) Compare(ctx context.Context) ([]Difference, error) {
	return s.compareSince(ctx, s.deps.Now())
}

// compareEvery is how often every application is compared.
const compareEvery = time.Hour

// CompareDue is Compare of the applications that were not compared for an hour.
func (s *Service) CompareDue(ctx context.Context) ([]Difference, error) {
	return s.compareSince(ctx, s.deps.Now().Add(-compareEvery))
}

// compareSince compares the applications that were last compared at a time or before, those first whose comparison has
// not begun.
func (s *Service) compareSince(ctx context.Context, before time.Time) ([]Difference, error) {
	type row struct {
		ApplicationID int64 `db:"application_id"`
	}
	applications, err := pg.All[row](ctx, s.deps.Pool, `
		SELECT application_id FROM ledger_cutoffs WHERE compared_at IS NULL OR compared_at <= @before
		ORDER BY compared_at NULLS FIRST, application_id`, pg.Args{"before": before})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(applications,
		func(a, b row) int { return cmp.Compare(s.halfway(a.ApplicationID), s.halfway(b.ApplicationID)) })
	all := []Difference{}
	var errs []error
	for _, a := range applications {
		found, err := s.compareFor(ctx, a.ApplicationID)
		if err != nil {
			errs = append(errs, fmt.Errorf("ledger: compare application %d: %w", a.ApplicationID, err))
		}
		if ctx.Err() != nil {
			break
		}
		all = append(all, found...)
	}
	return all, errors.Join(errs...)
}

// compareShare is how long a comparison looks at one application's entries at a time.
const compareShare = 15 * time.Second

// comparison is how far one of an application has come. Entries never change, so that it may go on at any time.
type comparison struct {
	through ids.Entry
	totals  map[pot]money.Amount // as they were at the beginning, of entries up to through
	sums    map[pot]money.Amount // of entries up to after
	after   ids.Entry
}

// compareFor compares an application for its share of time. What that does not suffice for is gone on with later; it is
// no error.
func (s *Service) compareFor(ctx context.Context, applicationID int64) ([]Difference, error) {
	c, err := s.begun(ctx, applicationID)
	if err != nil {
		return nil, err
	}
	done, err := s.sum(ctx, applicationID, c)
	if done {
		return s.conclude(ctx, applicationID, c)
	}
	s.comparing.Store(applicationID, c)
	return nil, err
}

// halfway is 1 for an application whose comparison has begun, else 0.
func (s *Service) halfway(applicationID int64) int {
	if _, ok := s.comparing.Load(applicationID); ok {
		return 1
	}
	return 0
}

// begun is the comparison of an application that was begun by this binary, or a new one.
func (s *Service) begun(ctx context.Context, applicationID int64) (*comparison, error) {
	if c, ok := s.comparing.LoadAndDelete(applicationID); ok {
		return c.(*comparison), nil
	}
	through, totals, err := s.totals(ctx, applicationID)
	return &comparison{through: through, totals: totals, sums: make(map[pot]money.Amount)}, err
}

// conclude compares totals with sums and keeps what it finds.
func (s *Service) conclude(ctx context.Context, applicationID int64, c *comparison) ([]Difference, error) {
	var found []Difference
	for p := range c.sums {
		c.totals[p] += 0 // those without a total are compared with none
	}
	for p, total := range c.totals {
		if sum := c.sums[p]; sum != total {
			found = append(found, Difference{applicationID, p.MerchantID, p.Account, p.Currency, total, sum})
		}
	}
	for _, d := range found {
		slog.ErrorContext(ctx, "a running total of the ledger is not the sum of its entries", "application_id",
			d.ApplicationID,
			"merchant_id", d.MerchantID, "account", d.Account, "currency", d.Currency, "total", d.Total, "sum", d.Sum)
	}
	return found, s.record(ctx, applicationID, found)
}

// totals reads the running totals of an application together with what they are up to.
func (s *Service) totals(ctx context.Context, applicationID int64) (through ids.Entry, totals map[pot]money.Amount,
	err error) {
	type row struct {
		Through ids.Entry `db:"through"`
		pot
		Balance money.Amount `db:"balance"`
	}
	rows, err := pg.All[row](ctx, s.deps.Pool, `
		SELECT c.through, coalesce(t.merchant_id, 0) AS merchant_id, coalesce(t.account, '') AS account,
			coalesce(t.currency, '') AS currency, coalesce(t.balance, 0) AS balance
		FROM ledger_cutoffs c LEFT JOIN ledger_totals t ON t.application_id = c.application_id
		WHERE c.application_id = @application_id`, pg.Args{"application_id": applicationID})
	totals = make(map[pot]money.Amount, len(rows))
	for _, r := range rows {
		through = r.Through
		if r.MerchantID != 0 {
			totals[r.pot] = r.Balance
		}
	}
	return through, totals, err
}

// sum adds up more of an application's entries, a bounded number per statement, and reports whether those are all.
func (s *Service) sum(ctx context.Context, applicationID int64, c *comparison) (done bool, err error) {
	type row struct {
		ApplicationID int64 `db:"application_id"`
		pot
		Balance money.Amount `db:"balance"`
	}
	for began := s.deps.Now(); ; {
		b, err := nextBatch(ctx, s.deps.Pool, applicationID, c.after.Bytes(), c.through.Bytes(), s.deps.SumBatch)
		if err != nil || b.N == 0 {
			return err == nil, err
		}
		rows, err := pg.All[row](ctx, s.deps.Pool, sidesBetween,
			pg.Args{"application_id": applicationID, "after": c.after.Bytes(), "up_to": b.Last.Bytes()})
		if err != nil {
			return false, err
		}
		for _, r := range rows {
			c.sums[r.pot] += r.Balance
		}
		if c.after = b.Last; s.deps.Now().Sub(began) >= s.deps.Share {
			return false, nil
		}
	}
}

// record keeps what a comparison found: open differences that it did not find again are healed.
func (s *Service) record(ctx context.Context, applicationID int64, found []Difference) error {
	now := s.deps.Now()
	var merchants []int64
	var accounts []Account
	var currencies []money.Currency
	for _, d := range found {
		merchants, accounts, currencies = append(merchants, d.MerchantID), append(accounts,
			d.Account), append(currencies, d.Currency)
	}
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		tx.Later(`
			UPDATE ledger_differences SET healed_at = @now
			WHERE application_id = @application_id AND healed_at IS NULL AND NOT EXISTS (
				SELECT FROM unnest(@merchants::bigint[], @accounts::text[], @currencies::text[]) AS f (merchant_id,
					account, currency)
				WHERE f.merchant_id = ledger_differences.merchant_id AND f.account = ledger_differences.account
					AND f.currency = ledger_differences.currency)`,
			pg.Args{"application_id": applicationID, "merchants": merchants, "accounts": accounts,
				"currencies": currencies, "now": now})
		for _, d := range found {
			tx.Later(`
				INSERT INTO ledger_differences (application_id, merchant_id, account, currency, total, sum, found_at)
				VALUES (@application_id, @merchant_id, @account, @currency, @total, @sum, @now)
				ON CONFLICT (application_id, merchant_id, account, currency) WHERE healed_at IS NULL
				DO UPDATE SET total = excluded.total, sum = excluded.sum`,
				pg.Args{
					"application_id": d.ApplicationID, "merchant_id": d.MerchantID, "account": d.Account,
					"currency": d.Currency, "total": d.Total, "sum": d.Sum, "now": now,
				})
		}
		tx.Later(`UPDATE ledger_cutoffs SET compared_at = @now WHERE application_id = @application_id`,
			pg.Args{"application_id": applicationID, "now": now})
		return nil
	})
}
