package ledger

import (
	"context"
	"errors"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// Accounts are amounts by account of a merchant, in minor units. They are credits minus debits:
// positive is owed to the merchant.
type Accounts struct {
	Pending   money.Amount `db:"pending" json:"pending"`
	Available money.Amount `db:"available" json:"available"`
	Reserved  money.Amount `db:"reserved" json:"reserved"`
	InTransit money.Amount `db:"in_transit" json:"in_transit"`
}

// Total is what all accounts hold together.
func (a Accounts) Total() money.Amount { return a.Pending + a.Available + a.Reserved + a.InTransit }

// add changes one account; those that are not the merchant's are left out.
func (a *Accounts) add(account Account, amount money.Amount) {
	switch account {
	case MerchantPending:
		a.Pending += amount
	case MerchantAvailable:
		a.Available += amount
	case MerchantReserved:
		a.Reserved += amount
	case MerchantInTransit:
		a.InTransit += amount
	}
}

// Balance is what a merchant is owed, in the merchant's currency.
type Balance struct {
	Currency money.Currency `db:"currency" json:"currency"`
	Accounts
}

// present is every account's balance, debits minus credits, in the merchant's currency: the running
// total and the entries after the cut-off.
const present = `
	SELECT account, sum(balance)::bigint AS balance
	FROM (
		SELECT account, balance FROM ledger_totals
		WHERE application_id = m.application_id AND merchant_id = m.id AND currency = m.currency
		UNION ALL
		SELECT side.account, side.amount
		FROM ledger_entries e, LATERAL (VALUES (e.debit, e.amount), (e.credit, -e.amount)) AS side (account, amount)
		WHERE e.application_id = m.application_id AND e.merchant_id = m.id AND e.currency = m.currency
			AND e.id > coalesce(
			(SELECT through FROM ledger_cutoffs c WHERE c.application_id = m.application_id),
				'00000000-0000-0000-0000-000000000000')
	) parts
	GROUP BY account`

// balance is a merchant's balance out of what [present] tells.
const balance = `m.currency,
			coalesce(-sum(b.balance) FILTER (WHERE b.account = 'merchant_pending'), 0)::bigint AS pending,
			coalesce(-sum(b.balance) FILTER (WHERE b.account = 'merchant_available'), 0)::bigint AS available,
			coalesce(-sum(b.balance) FILTER (WHERE b.account = 'merchant_reserved'), 0)::bigint AS reserved,
			coalesce(-sum(b.balance) FILTER (WHERE b.account = 'merchant_in_transit'), 0)::bigint AS in_transit`

// BalanceOf reads a merchant's balance as the querier sees it: within a transaction with its own
// flushed postings. [pg.ErrNone] if the application has no such merchant.
func BalanceOf(ctx context.Context, q pg.Querier, applicationID, merchantID int64) (Balance, error) {
	return pg.One[Balance](ctx, q, `
		SELECT `+balance+`
		FROM merchants m LEFT JOIN LATERAL (`+present+`) b ON true
		WHERE m.application_id = @application_id AND m.id = @merchant_id
		GROUP BY m.currency`,
		pg.Args{"application_id": applicationID, "merchant_id": merchantID})
}

// MerchantBalance is the API's object: a merchant's balance at the moment of asking.
type MerchantBalance struct {
	Object     string `json:"object"`
	Livemode   bool   `json:"livemode"`
	MerchantID int64  `json:"merchant_id"`
	Balance
	// Total is what all four accounts hold together.
	Total money.Amount `json:"total"`
}

var errNotAssociated = fault.New(fault.KindForbidden, "merchant_not_associated",
	"This merchant is not associated with your application.").On("merchant_id")

// Balance returns the balance of a merchant of the actor's application; merchant_not_associated for
// any other.
func (s *Service) Balance(ctx context.Context, actor authz.Actor, merchantID int64) (MerchantBalance, error) {
	if err := s.deps.Check.Check(actor, authz.BalanceRead); err != nil {
		return MerchantBalance{}, err
	}
	b, err := BalanceOf(ctx, s.deps.Pool, actor.ApplicationID, merchantID)
	if errors.Is(err, pg.ErrNone) || !actor.Sees(merchantID) {
		return MerchantBalance{}, errNotAssociated
	}
	return MerchantBalance{Object: "balance", Livemode: s.deps.Livemode, MerchantID: merchantID, Balance: b,
		Total: b.Total()}, err
}

// Several reads the balances of those of some merchants that exist for the actor, by their ids.
func (s *Service) Several(ctx context.Context, actor authz.Actor, merchants []int64) (map[int64]Balance, error) {
	if err := s.deps.Check.Check(actor, authz.BalanceRead); err != nil {
		return nil, err
	}
	type row struct {
		ID int64 `db:"id"`
		Balance
	}
	all, err := pg.All[row](ctx, s.deps.Pool, `
		SELECT m.id, `+balance+`
		FROM merchants m LEFT JOIN LATERAL (`+present+`) b ON true
		WHERE m.application_id = @application_id AND m.id = ANY (@merchants::bigint[])
		GROUP BY m.id, m.currency`,
		pg.Args{"application_id": actor.ApplicationID, "merchants": actor.Within(merchants)})
	out := make(map[int64]Balance, len(all))
	for _, r := range all {
		out[r.ID] = r.Balance
	}
	return out, err
}

// AccountBalance is what one account holds: debits minus credits.
type AccountBalance struct {
	Account  Account        `db:"account"`
	Currency money.Currency `db:"currency"`
	Balance  money.Amount   `db:"balance"`
}

// Balances sums every entry of the merchant by account, without the running totals. The accounts
// sum to zero.
func Balances(ctx context.Context, q pg.Querier, applicationID, merchantID int64) ([]AccountBalance, error) {
	return pg.All[AccountBalance](ctx, q, `
		SELECT account, currency, balance FROM ledger_balances
		WHERE application_id = @application_id AND merchant_id = @merchant_id ORDER BY account, currency`,
		pg.Args{"application_id": applicationID, "merchant_id": merchantID})
}

// Upcoming is what merchants are paid out on one day.
type Upcoming struct {
	Day    string       `db:"day"` // as 2026-01-31
	Amount money.Amount `db:"amount"`
}

// Upcoming reads what is available now of the balances that are paid out on the next day of payouts: of the actor's
// merchants in a currency, without those whose payouts are paused. Days are those of a time zone. Nil if there is
// nothing to pay out.
func (s *Service) Upcoming(ctx context.Context, actor authz.Actor, currency money.Currency,
	zone string) (*Upcoming, error) {
	if err := s.deps.Check.Check(actor, authz.BalanceRead); err != nil {
		return nil, err
	}
	first, err := pg.All[Upcoming](ctx, s.deps.Pool, `
		SELECT day, sum(amount)::bigint AS amount
		FROM (
			SELECT to_char(m.next_payout_at AT TIME ZONE @zone::text, 'YYYY-MM-DD') AS day,
				(SELECT -b.balance FROM (`+present+`) b WHERE b.account = 'merchant_available') AS amount
			FROM merchants m
			WHERE m.application_id = @application_id AND m.currency = @currency AND m.payouts_paused_reason IS NULL
				AND (@seen::bigint[] IS NULL OR m.id = ANY (@seen))
		) due
		WHERE amount > 0 GROUP BY day ORDER BY day LIMIT 1`,
		pg.Args{"application_id": actor.ApplicationID, "currency": currency, "zone": zone, "seen": actor.Within(nil)})
	if err != nil || len(first) == 0 {
		return nil, err
	}
	return &first[0], nil
}
