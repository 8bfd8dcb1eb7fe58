// Package statement makes merchants' monthly statements and DAF invoices (object, CSV, PDF), and lists a payout's
// contents as CSV.
//
// Invariants of a statement: the opening balance and its lines add up to the closing balance, which is the next month's
// opening balance; the lines are the sums of the ledger's entries, and the CSV file has each of those entries once.
package statement

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/pg"
)

// Deps are what the service works with.
type Deps struct {
	Pool      *pgxpool.Pool
	Merchants *merchant.Service
	Payouts   *payout.Service
	Check     authz.Checker
	Clock     *clock.Clock
}

// Service makes statements and invoices.
type Service struct{ deps Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Group gathers kinds of ledger entries as a statement shows them.
type Group string

// The groups, in the order of a statement.
const (
	Charges     Group = "charges"
	Refunds     Group = "refunds"
	Fees        Group = "fees"
	Chargebacks Group = "chargebacks" // in a statement those that were lost: one that is open only holds money
	Returns     Group = "returns"     // bank debits that came back
	Payouts     Group = "payouts"     // when they arrive, and when they come back
	Adjustments Group = "adjustments"
)

// Groups lists every group in order.
func Groups() []Group {
	return []Group{Charges, Refunds, Fees, Chargebacks, Returns, Payouts, Adjustments}
}

var groupOf = func() map[string]Group {
	out := map[string]Group{
		ledger.KindCapture: Charges, ledger.KindDebit: Charges, ledger.KindRefund: Refunds,
		ledger.KindRefundFailed: Refunds, ledger.KindChargeback: Chargebacks, ledger.KindChargebackLost: Chargebacks,
		ledger.KindChargebackWon: Chargebacks, ledger.KindReturn: Returns, ledger.KindDebitReversed: Returns,
		ledger.KindPayout: Payouts, ledger.KindPayoutPaid: Payouts, ledger.KindPayoutFailed: Payouts,
		ledger.KindPayoutReturned: Payouts, ledger.KindPayoutCorrected: Payouts,
	}
	for _, r := range ledger.Rules() {
		if slices.ContainsFunc(r.Pairs, func(p ledger.Pair) bool { return p.Credit == ledger.ApplicationFees }) {
			out[r.Kind] = Fees
		}
	}
	return out
}()

// GroupOf tells in which group a kind of ledger entries is shown.
func GroupOf(kind string) Group {
	if g, ok := groupOf[kind]; ok {
		return g
	}
	return Adjustments
}

// Statement is a merchant's month: what it was owed at its beginning, what was added and taken, what
// it was owed at its end. What a merchant is owed is all of pending, available, reserved and in transit,
// so that a payout counts when it has arrived. Amounts are minor units of Currency; what was taken is
// negative.
type Statement struct {
	Object string `json:"object"`
	Period
	OpeningBalance money.Amount    `json:"opening_balance"`
	Lines          []Line          `json:"lines"`
	ClosingBalance money.Amount    `json:"closing_balance"`
	Closing        ledger.Accounts `json:"closing"` // where the closing balance stands
	Payouts        []PayoutLine    `json:"payouts"` // that arrived, or came back, in the month
}

// Line is what the entries of one kind come to.
type Line struct {
	Group  Group        `json:"group"`
	Kind   string       `json:"kind"`
	Count  int          `json:"count"`
	Amount money.Amount `json:"amount"`
}

// PayoutLine is a payout in a statement.
type PayoutLine struct {
	ID         ids.Payout    `db:"id" json:"id"`
	Amount     money.Amount  `db:"amount" json:"amount"`
	Status     payout.Status `db:"status" json:"status"`
	BankLast4  string        `db:"bank_last4" json:"bank_last4"`
	CreatedAt  instant.Time  `db:"created_at" json:"created_at"`
	PaidAt     instant.Time  `db:"paid_at" json:"paid_at"`
	ReturnedAt *instant.Time `db:"returned_at" json:"returned_at"`
}

// Get puts a merchant's month together. A month that has begun and is not over is reported as it is
// so far.
func (s *Service) Get(ctx context.Context, actor authz.Actor, in MonthInput) (Statement, error) {
	if err := s.deps.Check.Check(actor, authz.StatementRead); err != nil {
		return Statement{}, err
	}
	period, err := s.period(ctx, actor, in)
	if err != nil {
		return Statement{}, err
	}
	st := Statement{Object: "statement", Period: period, Lines: []Line{}}
	sums, err := ledger.SumsBetween(ctx, s.deps.Pool, actor.ApplicationID, in.MerchantID, st.From.Time, st.Until.Time)
	if err != nil {
		return Statement{}, err
	}
	st.OpeningBalance, st.ClosingBalance, st.Closing = sums.Opening.Total(), sums.Closing.Total(), sums.Closing
	for _, g := range Groups() {
		for _, k := range sums.Kinds {
			if GroupOf(k.Kind) == g {
				st.Lines = append(st.Lines, Line{Group: g, Kind: k.Kind, Count: k.Count, Amount: k.Amount})
			}
		}
	}
	st.Payouts, err = pg.All[PayoutLine](ctx, s.deps.Pool, `
		SELECT id, amount, status, bank_last4, created_at, paid_at, returned_at FROM payouts
		WHERE application_id = @application_id AND merchant_id = @merchant_id
			AND (paid_at >= @from AND paid_at < @until OR returned_at >= @from AND returned_at < @until)
		ORDER BY id`,
		pg.Args{"application_id": actor.ApplicationID, "merchant_id": in.MerchantID, "from": st.From,
			"until": st.Until})
	return st, err
}
